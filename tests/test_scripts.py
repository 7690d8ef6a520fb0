"""Scripts as MindSpore's users write them, run unmodified: they print what they print there.

Dynamic mode, GRAPH_MODE and jit must all print what MindSpore 2.10 printed in dynamic mode
(`tools/record_scripts.py`), up to the rounding of a few training steps.
"""

import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle import recorded

ROOT = Path(__file__).parents[1]
RECORDED = recorded("scripts")
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")

RUNS = [
    ("gan.py", ""),
    ("jit_styles.py", ""),
    ("lenet.py", ""),
    ("lenet.py", "--graph"),
    ("own_optimizer.py", ""),
    ("own_optimizer.py", "--graph"),
    ("own_optimizer.py", "--jit"),
    ("pinn.py", ""),
    ("resnet.py", "--jit"),
    ("transfer_learning.py", ""),
    ("transformer_encoder.py", ""),
    ("transformer_encoder.py", "--jit"),
]


def words(line):
    """A line without its numbers and without the blanks that only align them."""
    return NUMBER.sub("#", line).replace(" ", "")


@pytest.mark.parametrize("script, option", RUNS, ids=lambda item: item or "dynamic")
def test_prints_what_mindspore_prints(script, option):
    command = [sys.executable, "-W", "error", "-m", "sporax", "run"]
    command += [str(ROOT / "tests" / "scripts" / script), *option.split()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    ours, theirs = done.stdout.splitlines(), RECORDED[script]
    assert [words(line) for line in ours] == [words(line) for line in theirs]
    for line, wanted in zip(ours, theirs, strict=True):
        for a, b in zip(NUMBER.findall(line), NUMBER.findall(wanted), strict=True):
            assert math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=2e-5), f"{line}\n{wanted}"


def test_every_recorded_script_runs():
    assert {script for script, _ in RUNS} == RECORDED.keys()
