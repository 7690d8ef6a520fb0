"""Record what MindSpore's argument checks return and raise; run it where MindSpore 2.10 is.

    python tools/record_checks.py tests/recorded

Writes `checks.json`: the outcomes of the cases in `tests/compat/check_cases.py`.
"""

import json
import sys
from pathlib import Path

import mindspore as ms
from mindspore import _checkparam

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.compat.check_cases import CASES, evaluate

if __name__ == "__main__":
    kept = {question: evaluate(question, _checkparam, ms) for question in CASES}
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    (Path(sys.argv[1]) / "checks.json").write_text(text + "\n", "utf8")
