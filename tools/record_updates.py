"""Record MindSpore 2.10's results on a CPU for the calls of `tests/ops/update_cases.py`.

    MINDSPORE_PYTHON tools/record_updates.py

Writes `tests/recorded/updates.json`: by call [results, changed variables].
"""

import json
import sys
from pathlib import Path

import mindspore
import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "ops"))
import update_cases  # noqa: E402


def packed(array):
    return np.round(array.astype(np.float64), 7).tolist()


def record(call):
    results, changed = update_cases.run(call, mindspore, vars(mindspore.ops.operations))
    return [[packed(r) for r in results], {n: packed(a) for n, a in changed.items()}]


def main():
    lines = [
        f"{json.dumps(call)}: {json.dumps(record(call), separators=(',', ':'))}"
        for call in update_cases.CALLS
    ]
    path = ROOT / "tests" / "recorded" / "updates.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf8")


if __name__ == "__main__":
    main()
