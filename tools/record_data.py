"""Record the rows of MindSpore's data pipelines; run with MindSpore 2.10.

python tools/record_data.py
"""

import json
import sys
from pathlib import Path

from mindspore import dataset

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from tests.data.data_cases import CASES, evaluate  # noqa: E402

results = {case: evaluate(dataset, case) for case in CASES}
text = ",\n".join(f"{json.dumps(case)}: {json.dumps(results[case])}" for case in CASES)
(ROOT / "tests/recorded/data_rows.json").write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
