"""Record in tests/recorded/steps.json MindSpore's results for tests/data/step_cases.py.

Usage: MINDSPORE_PYTHON tools/record_steps.py
"""

import json
import sys
import tempfile
from pathlib import Path

import mindspore.dataset

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.data.step_cases import CASES  # noqa: E402

results = {}
for name, run in CASES.items():
    with tempfile.TemporaryDirectory() as folder:
        results[name] = run(mindspore.dataset, folder)
lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(r)}" for name, r in results.items())
(ROOT / "tests/recorded/steps.json").write_text(f"{{\n{lines}\n}}\n", "utf8")
