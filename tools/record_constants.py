"""Record MindSpore's results for `tests/ops/constant_cases.py`.

Run under MindSpore 2.10: `python tools/record_constants.py`.
"""

import json
import sys
from pathlib import Path

import mindspore
from mindspore.dataset import NumpySlicesDataset

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

if __name__ == "__main__":
    from tests.ops.constant_cases import CASES, evaluate

    mindspore.set_context(pynative_synchronize=True)
    rows = {
        name: evaluate(function, mindspore, NumpySlicesDataset) for name, function in CASES.items()
    }
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    target = ROOT / "tests" / "recorded" / "constants.json"
    target.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
