"""`sporax bench`: what is measured, printed and written; bad arguments end in one sentence."""

import ast
import json
import sys
from pathlib import Path

import pytest

import sporax
from sporax._src.workbench import cli
from sporax._src.workbench.cli import bench
from sporax._src.workbench.cli.bench_peers import sizes
from tests.cli.test_cli import call

HEADS = ("a call", "spread", "samples/s", "first call", "from cache")


def test_a_row_in_dynamic_mode_and_under_jit(tmp_path):
    shown = call(tmp_path, "bench", "--rows", "MLP", "--seconds", "0.05", "--json", "here.json")
    assert shown.returncode == 0 and shown.stderr == ""
    lines = shown.stdout.splitlines()
    assert all(head in shown.stdout for head in HEADS) and "MLP step" in lines
    tree = json.loads((tmp_path / "here.json").read_text())
    peers = tree["cases"]["MLP step"]
    assert peers.keys() >= {"sporax", "sporax-jit"} and tree["machine"]["cores"] > 0
    for name, peer in ("sporax", "sporax"), ("sporax under jit", "sporax-jit"):
        answers, (line,) = peers[peer], [x for x in lines if x.startswith(f"  {name}   ")]
        assert answers["first"] > 0 and answers["from cache"] > 0
        samples = round(64 / answers["quartiles"][1])
        assert f"{samples:,}".replace(",", " ") in line and "%" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "MLPs"], "--rows: no row 'MLPs'; there are small operation, MLP, LeNet-5,"),
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
    answers = {"quartiles": [1e-3, 2e-3, 3e-3], "first": 1.0, "from cache": 0.5}
    left_out, torch = {"left_out": "Oops: no"}, {"version": "2.13.0"}
    title, own, failed = bench._lines("MLP step", {"sporax": answers, "torch": left_out})
    assert title == "MLP step" and failed == "  PyTorch               left out: Oops: no"
    assert own.split() == ["sporax", "2", "ms", "±50%", "32", "000", "1", "s", "500", "ms"]
    slower = answers | torch | {"quartiles": [4e-3] * 3}
    small = {"sporax": answers, "torch": slower, "mindspore": answers}
    title, *lines = bench._lines("small operation, forward", small)
    assert title == "small operation, forward, each of 50"
    assert [line.split()[-1] for line in lines] == ["ms", "0.5", "1"] and "40 us" in lines[0]
    assert lines[1].startswith("  PyTorch 2.13.0 ")


def test_of_two_processes_the_first_starts_cold_and_the_quicker_one_counts():
    cold = {"first": 5.0, "quartiles": [2.0, 2.0, 3.0]}
    warm = {"first": 1.0, "quartiles": [3.0, 4.0, 5.0]}
    assert bench._joined([cold, warm]) == cold | {"from cache": 1.0}
    assert bench._joined([warm, cold]) == cold | {"first": 1.0, "from cache": 5.0}
    assert bench._joined([cold, {"left_out": "Oops"}]) == {"left_out": "Oops"}


def test_a_peer_that_fails_is_left_out(tmp_path):
    answers = bench._run("tensorless", sys.executable, "MLP step", 0.1, tmp_path / "peer")
    assert answers == {"left_out": "ModuleNotFoundError: No module named 'tensorless'"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 us"), (4.16e-6, "4.16 us"), (0.0123, "12.3 ms"), (1, "1 s"), (1234.5, "1234 s")],
)
def test_times_have_three_digits(seconds, text):
    assert bench._time(seconds) == text


def test_every_row_has_its_cases():
    sporax.install_as_mindspore()
    from sporax._src.workbench.cli.bench_peers import in_mindspore

    cases = {case for row in sizes.ROWS.values() for case in row}
    assert cases == in_mindspore.CASES.keys() >= {*sizes.SAMPLES, *sizes.OPERATIONS}


def test_the_networks_are_defined_once():
    """What ships is not defined again in the repository's benchmark."""
    import bench as folder

    root = Path(folder.__path__[0])
    for library in ("mindspore", "torch"):
        shipped = Path(bench.__file__).parent / "bench_peers" / f"in_{library}.py"
        others = [root / "peers" / f"{kind}.py" for kind in
                  (f"networks_{library}", f"{library}_peer")]  # fmt: skip
        assert not _defined(shipped) & {name for path in others for name in _defined(path)}


def _defined(path):
    body = ast.parse(path.read_text("utf8")).body
    return {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
