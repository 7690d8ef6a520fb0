"""Record what MindSpore's layers compute and print; run it where MindSpore 2.10 is installed.

    python tools/record_layers.py tests/recorded

Writes `layers.npz` (outputs, gradients and moved statistics of the rows in
`tests/nn/layer_cases.py`) and `layers.json` (what `print` shows of the layers).
"""

import json
import sys
from pathlib import Path

import mindspore as ms
import numpy as np
from mindspore import nn, ops

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.nn import layer_cases as cases

if __name__ == "__main__":
    ms.set_context(pynative_synchronize=True)
    folder, kept = Path(sys.argv[1]), {}
    for case in cases.CASES:
        for train in case.modes:
            for name, array in cases.computed(case, train, nn, ms).items():
                kept[f"{case.name}|{'train' if train else 'eval'}|{name}"] = array
    np.savez_compressed(folder / "layers.npz", **kept)
    shown = {text: str(eval(text, {"nn": nn, "ops": ops, "ms": ms})) for text in cases.PRINTED}
    text = json.dumps(shown, indent=1, ensure_ascii=False)
    (folder / "layers.json").write_text(text + "\n", "utf8")
