"""Record what MindSpore 2.10 returns for tests/train/metric_cases.py.

    python tools/record_metrics.py        # with MindSpore installed

Writes tests/recorded/metrics.json.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import mindspore
from mindspore import nn, train

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.case_results import result_or_error  # noqa: E402
from tests.train.metric_cases import CASES  # noqa: E402

MS = SimpleNamespace(train=train, nn=nn, Tensor=mindspore.Tensor)

if __name__ == "__main__":
    results = {name: result_or_error(ask, MS) for name, ask in CASES.items()}
    target = ROOT / "tests" / "recorded" / "metrics.json"
    target.write_text(json.dumps(results, indent=0) + "\n", encoding="utf-8")
