"""Record how many floating-point operations MindSpore counts, for `tests/train/test_flops.py`.

Run under MindSpore 2.10: `python tools/record_flops.py`.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mindspore as ms

from tests.train.flops_cases import NETWORKS, steps

TARGET = Path(__file__).parents[1] / "tests" / "recorded" / "flops.json"

if __name__ == "__main__":
    ms.set_context(mode=ms.GRAPH_MODE)
    found = {}
    for name in NETWORKS:
        for kind, (cell, inputs) in steps(name).items():
            cell.set_train(kind == "train")
            cell(*inputs)
            found[f"{name}: {kind}"] = ms.flops_collection(cell.current_phase)
    TARGET.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
