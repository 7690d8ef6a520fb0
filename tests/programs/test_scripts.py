"""Scripts as MindSpore's users write them, run unmodified: they print what they print there.

Dynamic mode, GRAPH_MODE and jit must all print what MindSpore 2.10 printed in dynamic mode
(`tools.record scripts`), up to the rounding of a few training steps.
"""

import pytest

from tests import records
from tests.programs.script_runs import assert_prints, printed

RECORDED = records.read("scripts")

RUNS = [
    ("gan.py", ""),
    ("jit_styles.py", ""),
    ("lenet.py", ""),
    pytest.param("lenet.py", "--graph", marks=pytest.mark.slow),
    ("model_fit.py", ""),
    ("model_fit.py", "--graph"),
    ("own_optimizer.py", ""),
    pytest.param("own_optimizer.py", "--graph", marks=pytest.mark.slow),
    ("own_optimizer.py", "--jit"),
    ("pinn.py", ""),
    ("resnet.py", "--jit"),
    ("transfer_learning.py", ""),
    ("transformer_encoder.py", ""),
    pytest.param("transformer_encoder.py", "--jit", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("script, option", RUNS, ids=lambda item: item or "dynamic")
def test_prints_what_mindspore_prints(script, option):
    actual = printed(script, option).splitlines()
    assert_prints(actual, RECORDED[script], rel_tol=1e-3, abs_tol=2e-5)


def test_every_recorded_script_runs():
    assert {getattr(run, "values", run)[0] for run in RUNS} == RECORDED.keys()
