"""Runs the scripts of `scripts/` as users would, and compares their output with MindSpore's."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?")


def printed(script, option=""):
    """Return the output of `sporax run` for a script, which must succeed; warnings are errors."""
    command = [sys.executable, "-W", "error", "-m", "sporax", "run"]
    command += [str(ROOT / "tests" / "programs" / "scripts" / script), *option.split()]
    own = "XLA_FLAGS", "SPORAX_TIERS"  # which a user does not set
    environment = {k: v for k, v in os.environ.items() if k not in own}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def words(line):
    """Return a line without its numbers and spaces."""
    return NUMBER.sub("#", line).replace(" ", "")


def assert_prints(actual, reference, **tolerance):
    """Assert that the lines are equal, and their numbers close within `tolerance` (of
    `math.isclose`)."""
    assert [words(line) for line in actual] == [words(line) for line in reference]
    for line, expected in zip(actual, reference, strict=True):
        for a, b in zip(NUMBER.findall(line), NUMBER.findall(expected), strict=True):
            assert math.isclose(float(a), float(b), **tolerance), f"{line}\n{expected}"
