"""Record in tests/recorded/seeded.json the values that MindSpore's initializers draw after a seed.

Usage: MINDSPORE_PYTHON tools/record_seeded.py
"""

import json
import sys
from pathlib import Path

import mindspore
from mindspore import mint, nn
from mindspore.common import initializer

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.initializers.seeded_cases import CASES, values  # noqa: E402

names = {"ms": mindspore, "nn": nn, "mint": mint, **vars(initializer)}
results = {}
for case in CASES:
    mindspore.set_seed(3)
    results[case] = values(eval(case, names))
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(r)}" for name, r in results.items())
(ROOT / "tests/recorded/seeded.json").write_text(f"{{\n{lines}\n}}\n", "utf8")
