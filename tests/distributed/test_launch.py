"""Scripts as several processes: `sporax launch -n 2 script.py`."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

SCRIPTS = Path(__file__).parent / "scripts"
FAST = "--xla_backend_optimization_level=0"


def launched(n, script, *arguments, seconds=200, **environ):
    """(exit code, what was printed) of a script as `n` ranks."""
    process = start(n, script, *arguments, **environ)
    try:
        output, _ = process.communicate(timeout=seconds)
    finally:
        process.kill()
    return process.returncode, output


def start(n, script, *arguments, **environ):
    command = [sys.executable, "-m", "sporax", "launch", "-n", str(n), str(SCRIPTS / script)]
    kept = {k: v for k, v in os.environ.items() if k != "SPORAX_TIERS"}
    environ = {**kept, "XLA_FLAGS": FAST, **environ}
    return subprocess.Popen(
        [*command, *arguments], env=environ, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


def passes(n, script, *arguments, seconds=200, **environ):
    code, output = launched(n, script, *arguments, seconds=seconds, **environ)
    assert code == 0, output
    return output


def test_collectives_of_two_ranks():
    some = "gatherings", "messages", "captured"
    assert passes(2, "collectives.py", *some).count("passed") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "environ"),
    [(2, {}), (3, {}), (2, {"SPORAX_EXECUTOR": "immediate"}), (2, {"SPORAX_CHECK_RANKS": "1"})],
)
def test_collectives(n, environ):
    assert passes(n, "collectives.py", **environ).count("passed") == n


@pytest.mark.slow
@pytest.mark.parametrize("n, script", [(2, "adasum.py"), (4, "adasum.py"), (2, "thor.py")])
def test_optimizers_of_several_ranks(n, script):
    assert passes(n, script).count("passed") == n


# what a rank does, the exit code, what is said
FAILURES = [
    ("raises", 1, "ValueError: on rank 1", "rank 1 ended with exit code 1"),
    ("exits", 3, "", "rank 1 ended with exit code 3"),
    ("killed", 128 + signal.SIGKILL, "", "rank 1 was ended by SIGKILL"),
    ("raises first", 1, "ValueError: on rank 0", "rank 0 ended with exit code 1"),
    (
        "shapes",
        1,
        "rank 0 calls psum float32[3], rank 1 calls psum float32[4]",
        "ended with exit code 1",
    ),
    (
        "dtypes",
        1,
        "rank 0 calls psum float32[3], rank 1 calls psum int32[3]",
        "ended with exit code 1",
    ),
    ("kinds", 1, "rank 1 calls all_gather", "ended with exit code 1"),
    ("shapes later", 1, "rank 0 calls psum float32[1], rank 1 calls psum float32[2]", "ended with"),
    ("missing", 1, "rank 1 did not come within 3 s", "rank 0 ended with exit code 1"),
    ("missing later", 1, "all ranks [0, 1] must call it within op_timeout", "rank 0 ended with"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("what", "code", "shown", "said"), FAILURES, ids=[f[0] for f in FAILURES])
def test_a_failing_rank_ends_all(what, code, shown, said):
    began = time.monotonic()
    got, output = launched(2, "failures.py", what)
    assert (got, time.monotonic() - began < 60) == (code, True), output
    assert shown in output and said in output
    if what.split()[0] in ("shapes", "dtypes", "kinds"):
        assert all(f"[{rank}] RuntimeError: For " in output for rank in range(2)), output


@pytest.mark.slow
def test_ctrl_c_reaches_all_ranks():
    process = start(2, "failures.py", "sleeps")
    lines = [process.stdout.readline() for _ in range(2)]
    assert sorted(lines) == ["[0] sleeping\n", "[1] sleeping\n"], lines
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and output.count("KeyboardInterrupt") == 2, output


@pytest.mark.slow
def test_ranks_end_with_their_launcher():
    process = start(2, "failures.py", "sleeps")
    for _ in range(2):
        process.stdout.readline()
    process.kill()
    process.communicate(timeout=20)  # the ranks hold the other ends of these pipes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", "0", "x.py"], "positive whole number"),
        (["-n", "3", "--hosts", "a,b", "--host-index", "0", "x.py"], "multiple of the 2 hosts"),
        (["-n", "4", "--hosts", "a.invalid,b.invalid", "x.py"], "none of the --hosts"),
        (["-n", "4", "--hosts", "a,b", "--host-index", "2", "x.py"], "from 0 to 1"),
        (["-n", "2"], "a script, or"),
    ],
)
def test_arguments_are_checked(arguments, message, capsys):
    from sporax.cli import main

    try:
        assert main(["launch", *arguments]) == 2
    except SystemExit as stopped:
        assert stopped.code == 2
    assert message in capsys.readouterr().err


def _trained(folder, n, rule, how):
    """The Parameters that each of `n` ranks has after the tutorial's training."""
    passes(n, "data_parallel.py", str(folder), rule, how)
    files = [folder / f"{rule}-{how}-{n}-{rank}.npz" for rank in range(n)]
    return [dict(np.load(file)) for file in files]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "runs"),
    [
        ("sgd", [(2, "dynamic"), (2, "graph"), (2, "loop"), (2, "ddp")]),
        ("momentum", [(2, "model"), (4, "loop"), (4, "loop")]),
    ],
)
def test_data_parallel_training_is_that_of_one_process(rule, runs, tmp_path):
    (alone,) = _trained(tmp_path, 1, rule, "dynamic")
    before = {}
    for n, how in runs:
        ranks = _trained(tmp_path, n, rule, how)
        for name, value in alone.items():
            assert all((value_of[name] == ranks[0][name]).all() for value_of in ranks), name
            np.testing.assert_allclose(ranks[0][name], value, 1e-5, 1e-5, err_msg=name)
            # two runs are equal bit by bit
            assert (before.get((n, how), ranks)[0][name] == ranks[0][name]).all()
        before[n, how] = ranks


@pytest.mark.slow
def test_rank_0_may_do_things_by_itself(tmp_path):
    assert passes(2, "alone.py", str(tmp_path), seconds=100).count("passed") == 2
