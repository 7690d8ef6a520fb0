"""Record the results of PyTorch's layers for the rows and calls of `tests/nn/mint_layer_cases.py`.

Run it with an interpreter that has PyTorch: `python tools/record_mint_layers.py`. It writes
`tests/recorded/mint_layers.json`: for each row the output, the gradient of its sum of squares with
respect to the input, and its buffers afterwards. MindSpore 2.10 has no CPU kernels for these
convolutions and poolings.
"""

import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.nn import mint_layer_cases as cases  # noqa: E402


def main():
    table = {}
    for make, shape in cases.ROWS:
        layer = eval(make, {"nn": torch.nn})
        with torch.no_grad():
            for p, values in zip(
                layer.parameters(), cases.weights(layer.parameters()), strict=True
            ):
                p.copy_(torch.tensor(values))
        x = torch.tensor(cases.numbers(shape), requires_grad=True)
        y = layer(x)
        (y * y).sum().backward()
        buffers = [[round(n, 5) for n in b.reshape(-1).tolist()] for b in layer.buffers()]
        table[make] = {
            "output": [tuple(y.shape), [round(n, 5) for n in y.detach().reshape(-1).tolist()]],
            "gradient": [round(n, 5) for n in x.grad.reshape(-1).tolist()],
        } | ({"buffers": buffers} if buffers else {})
    for call, shape in cases.CALLS:
        x = torch.tensor(cases.numbers(shape), requires_grad=True)
        y = eval(call, {"nn": torch.nn, "F": torch.nn.functional, "x": x})
        (y * y).sum().backward()
        table[call] = {
            "output": [tuple(y.shape), [round(n, 5) for n in y.detach().reshape(-1).tolist()]],
            "gradient": [round(n, 5) for n in x.grad.reshape(-1).tolist()],
        }
    path = ROOT / "tests" / "recorded" / "mint_layers.json"
    rows = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items())
    path.write_text("{\n" + rows + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
