"""`sporax bench`: what is measured, printed and written; bad arguments end in one sentence."""

import json
import statistics
import sys

import pytest

from sporax import cli
from sporax.cli.bench import command, rows
from tests.cli.test_cli import call

HEADS = ("a call", "spread", "samples/s", "first call", "from cache", "compiling", "of peak")


def test_a_row_in_dynamic_mode_and_under_jit(tmp_path):
    shown = call(tmp_path, "bench", "--rows", "MLP", "--seconds", "0.05", "--json", "here.json")
    assert shown.returncode == 0 and shown.stderr == ""
    lines = shown.stdout.splitlines()
    assert all(head in shown.stdout for head in HEADS) and "MLP step" in lines
    tree = json.loads((tmp_path / "here.json").read_text())
    peers = tree["rows"]["MLP"]["cases"]["MLP step"]
    assert peers.keys() >= {"sporax", "sporax-jit"} and tree["machine"]["cores"] > 0
    for name, peer in ("sporax", "sporax"), ("sporax under jit", "sporax-jit"):
        answers, (line,) = peers[peer], [x for x in lines if x.startswith(f"  {name}   ")]
        assert len(answers["rounds"]) == command.ROUNDS and answers["warm"]["first"] > 0
        samples = round(64 / statistics.median(answers["rounds"]))
        assert f"{samples:,}".replace(",", " ") in line and "%" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "MLPs"], "--rows: no row 'MLPs'; there are small operation, elementwise, MLP"),
        (["--seconds", "0"], "--seconds: must be a positive number of seconds, but got '0'"),
        (["--seconds", "nan"], "--seconds: must be a positive number of seconds, but got 'nan'"),
        (["--torch", "away/python"], "--torch: 'away/python' does not run: No such file"),
        (["--mindspore", "PYTHON"], "cannot import mindspore: ModuleNotFoundError"),
        (["--json", "away/x.json"], "--json: 'away/x.json' cannot be written: No such file"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(arguments, message, capsys, tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    python.chmod(0o755)
    with pytest.raises(SystemExit, match="2"):
        cli.main(["bench", *[str(python) if x == "PYTHON" else x for x in arguments]])
    error = capsys.readouterr().err.splitlines()
    assert message in error[-1] and sum("error:" in line for line in error) == 1


def test_what_a_peer_leaves_out_is_said_with_the_reason():
    answers = {"rounds": [2e-3, 1e-3, 3e-3], "first": 1.0, "calls": [0.5, 2e-3]}
    result = {
        "cases": {
            "MLP step": {"sporax": answers, "torch": {"left_out": "Oops: no"}},
            "small operation, forward": {
                "sporax": answers, "torch": answers | {"rounds": [4e-3]}, "mindspore": answers,
            },
        },
        "versions": {"torch": "2.13.0"},
        "probe": [2 * rows.MULTIPLICATIONS["MLP step"] / 1e-3, 1.0],
    }  # fmt: skip
    title, own, torch, small, *others = command._lines(result)
    assert (title, small) == ("MLP step", "small operation, forward, each of 50")
    assert own.split() == ["sporax", "2", "ms", "±50%", "32", "000", "1", "s", "1.5", "s", "50%"]
    assert torch == "  PyTorch 2.13.0        left out: Oops: no"
    ratios = [line.split()[-1] for line in others]
    assert ratios == ["s", "0.5", "1"] and "40 us" in others[0]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 us"), (4.16e-6, "4.16 us"), (0.0123, "12.3 ms"), (1, "1 s"), (1234.5, "1234 s")],
)
def test_times_have_three_digits(seconds, text):
    assert command._time(seconds) == text


def test_the_default_rows_have_what_a_user_asks_for():
    assert {*command.DEFAULT} <= command.ROWS.keys()
    cases = {case for row in command.ROWS.values() for case in row.cases}
    assert {*rows.SAMPLES, *rows.OPERATIONS} <= cases
