"""Runs the scripts of `scripts/` as users would, and compares what they print with MindSpore."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]\d+)?")


def printed(script, option=""):
    """What `sporax run` prints of a script that ends well; warnings are errors."""
    command = [sys.executable, "-W", "error", "-m", "sporax", "run"]
    command += [str(ROOT / "tests" / "programs" / "scripts" / script), *option.split()]
    environment = {k: v for k, v in os.environ.items() if k != "XLA_FLAGS"}  # a user has none
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def words(line):
    """A line without its numbers and without the blanks that only align them."""
    return NUMBER.sub("#", line).replace(" ", "")


def assert_prints(actual, reference, **tolerance):
    """The lines are the same, their numbers as near as `tolerance` (of `math.isclose`) says."""
    assert [words(line) for line in actual] == [words(line) for line in reference]
    for line, expected in zip(actual, reference, strict=True):
        for a, b in zip(NUMBER.findall(line), NUMBER.findall(expected), strict=True):
            assert math.isclose(float(a), float(b), **tolerance), f"{line}\n{expected}"
