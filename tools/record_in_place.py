"""Record PyTorch's results for the in-place calls of `tests/ops/in_place_rows.py`.

Run it with an interpreter that has PyTorch: `python tools/record_in_place.py`. It writes
`tests/recorded/in_place.json`: for each call and view the memory afterwards, and the derivatives of
a scalar computed from it. MindSpore 2.10 has no CPU kernels for these calls.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import torch

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
from tests.ops import in_place_rows as rows  # noqa: E402

NAMES = {name: torch.tensor(array) for name, array in rows.NAMES.items()}
NAMES["mint"] = SimpleNamespace(
    addr_=torch.Tensor.addr_, relu_=torch.relu_, sigmoid_=torch.sigmoid_,
    elu_=torch.nn.functional.elu_, hardtanh_=torch.nn.functional.hardtanh_,
    threshold_=torch.nn.functional.threshold_,
)  # fmt: skip


def flat(tensor):
    return [round(n, 5) for n in tensor.detach().reshape(-1).tolist()]


def main():
    lines = []
    for call in rows.CALLS:
        for view, (shape, _) in rows.VIEWS.items():
            x = torch.tensor(rows.numbers(shape, 1), requires_grad=True)
            s = torch.tensor(rows.numbers((3, 3), 2), requires_grad=True)
            y, loss = rows.program(call, view, NAMES, torch.tensor)(x, s)
            grads = torch.autograd.grad(loss, (x, s), allow_unused=True, materialize_grads=True)
            answer = [flat(y), *map(flat, grads)]
            lines.append(f"{json.dumps(f'{view}: {call}')}: {json.dumps(answer)}")
    path = ROOT / "tests" / "recorded" / "in_place.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
