"""The scripts of `examples/`, run as users would: short runs must have learnt, long ones arrive.

A row: script, options, the words before the result in the last line, the result's limits, files.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
LJ13 = -44.326801  # the known energy, see molecule.py
SHORT = [
    # 100 % is the error of u = 0
    ("poisson", "--steps 40 --points 64", r"relative error (\S+)%", 0, 15, ["poisson.png"]),
    (
        "molecule", "--steps 150 --starts 16", r"lowest energy ([-\d.]+)",
        LJ13 - 1e-3, -38, ["molecule.png", "molecule.xyz"],
    ),
    # 4.5 is the loss of a network that knows nothing
    ("characters", "--steps 40 --length 20", r"loss (\S+)$", 1, 3.7, ["characters.txt"]),
    ("sentiment", "--epochs 3 --sentences 800", r"accuracy (\S+)%", 80, 100, ["sentiment.txt"]),
    ("pole", "--rounds 8 --carts 32", r"after (\S+)$", 100, 500, ["pole.png"]),
    ("autoencoder", "--epochs 2", r"loss (\S+)$", 20, 30, ["autoencoder.png"]),
]  # fmt: skip
WHOLE = [
    ("poisson", "", r"relative error (\S+)%", 0, 0.1, ["poisson.png"]),
    ("molecule", "", r"lowest energy ([-\d.]+)", LJ13 - 1e-3, LJ13 + 1e-3, ["molecule.png"]),
    ("characters", "", r"loss (\S+)$", 0.5, 1.8, ["characters.txt"]),
    ("sentiment", "", r"accuracy (\S+)%", 98, 100, ["sentiment.txt"]),
    ("pole", "", r"after (\S+)$", 495, 500, ["pole.png"]),
    ("autoencoder", "", r"loss (\S+)$", 20, 25, ["autoencoder.png"]),
]
LONGER = [row for row in SHORT if row[0] in ("characters", "sentiment", "pole")]
ROWS = [row for row in SHORT if row not in LONGER]
ROWS += [pytest.param(*row, marks=pytest.mark.slow) for row in (*LONGER, *WHOLE)]


@pytest.mark.parametrize("script, options, words, least, most, files", ROWS)
def test_an_example_reaches_its_result(script, options, words, least, most, files, tmp_path):
    command = [sys.executable, "-m", "sporax", "run", str(FOLDER / f"{script}.py")]
    environment = {k: v for k, v in os.environ.items() if k != "SPORAX_TIERS"}  # a user has none
    done = subprocess.run(
        [*command, *options.split(), "--out", str(tmp_path)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = float(re.search(words, done.stdout.splitlines()[-1])[1])
    assert least <= result <= most
    for file in files:
        assert (tmp_path / file).stat().st_size > 30
