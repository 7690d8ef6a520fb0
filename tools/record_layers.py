"""Record the results and printed text of MindSpore's layers; run with MindSpore 2.10.

    python tools/record_layers.py tests/recorded

Writes `layers.npz` (outputs, gradients and moved statistics of the rows in
`tests/nn/layer_cases.py`), `layers.json` (the printed text of the layers), and the same for
`tests/nn/rare_layer_cases.py` in `rare_layers.npz` and `rare_layers.json`.
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.nn import layer_cases, rare_layer_cases


def record(cases, folder, name):
    """Write the rows of one module to `name.npz` and `name.json`."""
    kept = {}
    for case in cases.CASES:
        for train in case.modes:
            for what, array in layer_cases.computed(case, train, nn, ms).items():
                kept[f"{case.name}|{'train' if train else 'eval'}|{what}"] = array
    np.savez_compressed(folder / f"{name}.npz", **kept)
    shown = {text: str(eval(text, {"nn": nn, "ops": ops, "ms": ms})) for text in cases.PRINTED}
    text = json.dumps(shown, indent=1, ensure_ascii=False)
    (folder / f"{name}.json").write_text(text + "\n", "utf8")


if __name__ == "__main__":
    ms.set_context(pynative_synchronize=True)
    for module, name in [(layer_cases, "layers"), (rare_layer_cases, "rare_layers")]:
        record(module, Path(sys.argv[1]), name)
