"""Record what MindSpore 2.10 returns for tests/data/training_cases.py and tests/amp/amp_cases.py.

    python tools/record_training.py        # with MindSpore installed

Writes tests/recorded/training.json.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import mindspore
import mindspore.dataset as ds
from mindspore import amp, nn, ops, train
from mindspore.dataset import transforms

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.amp.amp_cases import AMP  # noqa: E402
from tests.case_results import result_or_error  # noqa: E402
from tests.data.training_cases import DATA, METRICS  # noqa: E402

MS = SimpleNamespace(
    ds=ds, transforms=transforms, train=train, Tensor=mindspore.Tensor, dtype=mindspore,
    set_seed=mindspore.set_seed, amp=amp, nn=nn, ops=ops, Parameter=mindspore.Parameter,
)  # fmt: skip


def plain(answer):
    return answer if isinstance(answer, (str, int, float, list, tuple, dict)) else "no numbers"


if __name__ == "__main__":
    results = {}
    for topic, cases in (("data", DATA), ("metrics", METRICS), ("amp", AMP)):
        results[topic] = {name: plain(result_or_error(ask, MS)) for name, ask in cases.items()}
    target = ROOT / "tests" / "recorded" / "training.json"
    target.write_text(json.dumps(results, indent=0) + "\n", encoding="utf-8")
