"""Scripts as several processes: `sporax launch -n 2 script.py`."""

import contextlib
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from sporax._src.workbench.cli import launch
from sporax._src.workbench.cli.launch import CannotLaunch, cores_of_ranks, reserve_port

SCRIPTS = Path(__file__).parent / "scripts"
FAST = "--xla_backend_optimization_level=0"


def launched(n, script, *arguments, seconds=200, **environ):
    """(exit code, what was printed) of a script as `n` ranks."""
    return outputs([start(n, script, *arguments, **environ)], seconds)[0]


def start(n, script, *arguments, options=(), **environ):
    return run("launch", "-n", str(n), *options, str(SCRIPTS / script), *arguments, **environ)


def run(*command, **environ):
    """A process of the `sporax` command."""
    kept = {k: v for k, v in os.environ.items() if k != "SPORAX_TIERS"}
    environ = {**kept, "XLA_FLAGS": FAST, **environ}
    return subprocess.Popen(
        [sys.executable, "-m", "sporax", *command], env=environ, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )  # fmt: skip


def outputs(processes, seconds=200):
    """[(exit code, what was printed)] of processes that run at once."""
    try:
        printed = [process.communicate(timeout=seconds)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(p.returncode, text) for p, text in zip(processes, printed, strict=True)]


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
@pytest.mark.parametrize("n, script", [(2, "finite_differences.py"),
                                       (2, "refusals.py"), (3, "refusals.py")])  # fmt: skip
def test_derivatives_and_refusals(n, script):
    assert passes(n, script, seconds=400).count("passed") == n


@pytest.mark.slow
@pytest.mark.parametrize("n, script", [(2, "adasum.py"), (4, "adasum.py"), (2, "thor.py")])
def test_optimizers_of_several_ranks(n, script):
    assert passes(n, script).count("passed") == n


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs Linux")
@pytest.mark.parametrize(
    ("cores", "ranks", "each"),
    [
        ({0, 1}, 2, [[0], [1]]),
        ({0, 1, 2, 3, 6, 7, 8}, 3, [[0, 1], [2, 3], [6, 7]]),
        ({4, 5}, 3, [None, None, None]),
    ],
)
def test_ranks_have_their_own_cores(cores, ranks, each, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: cores)
    assert cores_of_ranks(ranks) == each


# what a rank does, the exit code, what is said
FAILURES = [
    ("raises", 1, "ValueError: on rank 1", "rank 1 ended with exit code 1"),
    ("exits", 3, "", "rank 1 ended with exit code 3"),
    ("killed", 128 + signal.SIGKILL, "", "rank 1 was ended by SIGKILL"),
    ("raises first", 1, "ValueError: on rank 0", "rank 0 ended with exit code 1"),
    (
        "shapes",
        1,
        "rank 0 calls psum float32[3] op=sum, rank 1 calls psum float32[4]",
        "ended with exit code 1",
    ),
    (
        "dtypes",
        1,
        "rank 0 calls psum float32[3] op=sum, rank 1 calls psum int32[3]",
        "ended with exit code 1",
    ),
    ("kinds", 1, "rank 1 calls all_gather", "ended with exit code 1"),
    ("roots", 1, "psum float32[1] root=0, rank 1 calls psum float32[1] root=1", "ended with"),
    ("reductions", 1, "psum float32[3] op=sum, rank 1 calls psum float32[3] op=avg", "ended with"),
    (
        "seen before",
        1,
        "rank 0 calls psum float32[2] op=sum, rank 1 calls psum float32[1]",
        "ended",
    ),
    (
        "shapes later",
        1,
        "rank 0 calls psum float32[1] op=sum, rank 1 calls psum float32[2]",
        "ended",
    ),
    ("missing", 1, "rank 1 did not come within 3 s", "rank 0 ended with exit code 1"),
    ("missing later", 1, "within 3 s (op_timeout), but rank 1 did not come", "rank 0 ended with"),
    ("missing at init", 1, "rank 1 did not come within 3 s", "rank 0 ended with exit code 1"),
    ("loops later", 1, "within 3 s (op_timeout), but rank 1 did not come", "rank 0 ended with"),
]


def check_failure(output, message):
    """All ranks have ended within 30 s, and the message says so."""
    failed_at = float(re.search(r"failing at ([0-9.]+)", output)[1])
    assert time.time() - failed_at < 30 and message in output, output


@pytest.mark.slow
@pytest.mark.parametrize(("what", "code", "shown", "said"), FAILURES, ids=[f[0] for f in FAILURES])
def test_a_failing_rank_ends_all(what, code, shown, said):
    environ = {"SPORAX_CHECK_RANKS": "1"} if what == "seen before" else {}
    got, output = launched(2, "failures.py", what, **environ)
    check_failure(output, said)
    assert got == code and shown in output, output
    if what.split()[0] in ("shapes", "dtypes", "kinds", "roots", "reductions", "seen"):
        assert all(f"[{rank}] RuntimeError: For " in output for rank in range(2)), output


# what a rank does on the second of two hosts, the exit code, what the launchers say
ON_HOSTS = [
    ("collectives.py", "gatherings", 0, "passed"),
    ("failures.py", "killed", 128 + signal.SIGKILL, "was ended by SIGKILL"),
    ("failures.py", "exits", 3, "ended with exit code 3"),
    ("failures.py", "raises", 1, "ended with exit code 1"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("script", "what", "code", "said"), ON_HOSTS)
def test_two_launchers_as_two_hosts(script, what, code, said):
    results = outputs(two_hosts(script, what, port=free_ports()))
    assert [result for result, _ in results] == [code, code], results
    first, second = [output for _, output in results]
    assert said in first and said in second
    if code:
        assert f"rank 1 on 127.0.0.2 {said}; the others were stopped." in first
        assert f"sporax launch: rank 1 {said}." in second
        check_failure(second, said)


def two_hosts(*arguments, port, **environ):
    """The launchers of two hosts."""
    options = "--hosts", "127.0.0.1,127.0.0.2", "--port", str(port), "--host-index"
    return [start(2, *arguments, options=(*options, str(i)), **environ) for i in range(2)]


def check_strangers(address, is_over):
    """Send what ends a launcher that believes it, again and again."""
    attacks = itertools.cycle([
        b"host 1\nevil -9\n", b"host 77\n1 -9\n", os.urandom(1000), b"\x1b[2J\x1b]0;evil\x07\n",
        b"sporax-launch " + b"0" * 32 + b"\nhost 1 2 2\nfailed 1 launcher -9\n", b"9" * 10**6, b"",
    ])  # fmt: skip
    count, idle = 0, []
    while not is_over():
        with contextlib.suppress(OSError):  # it does not listen yet, or no longer; or it refuses
            idle.append(socket.create_connection(address, 1))
            idle[-1].sendall(next(attacks))
            count += 1
        if len(idle) > 200:
            idle.pop(0).close()
        time.sleep(0.01)
    for one in idle:
        one.close()
    return count


@pytest.mark.slow
def test_strangers_do_not_end_a_job():
    port = free_ports()
    hosts = two_hosts("collectives.py", "gatherings", port=port)
    count = check_strangers(
        ("127.0.0.1", port + 1), lambda: any(h.poll() is not None for h in hosts)
    )
    results = outputs(hosts)
    assert [code for code, _ in results] == [0, 0] and count > 50, results
    assert all("passed" in output and "\x1b" not in output for _, output in results), results


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["another key", "no key that is its own", "another -n"])
def test_a_host_with_a_wrong_key_starts_nothing(wrong, tmp_path):
    """The job begins once the host has come with the right one."""
    port = free_ports()
    options = "--hosts", "127.0.0.1,127.0.0.2", "--port", str(port), "--host-index"
    first = start(2, "collectives.py", "gatherings", options=(*options, "0"))
    environ, n, said = {}, 2, "set SPORAX_JOB_KEY to the same text on all hosts, or copy"
    if wrong == "another key":
        environ["SPORAX_JOB_KEY"] = "another key than that of the job"
    elif wrong == "another -n":
        n, said = 4, "was started with another -n or --hosts"
    else:
        said = "must be in a file of your own"
        key = tmp_path / "sporax" / "job_key"
        key.parent.mkdir()
        key.write_bytes(bytes(32))
        key.chmod(0o644)
        environ["XDG_STATE_HOME"] = str(tmp_path)
    options = (*options, "1")
    second = start(n, "collectives.py", "gatherings", options=options, **environ)
    ((code, output),) = outputs([second])
    assert code == 2 and output.startswith("sporax launch: ") and said in output, output
    assert output.count("\n") == 1 and first.poll() is None
    results = outputs([first, start(2, "collectives.py", "gatherings", options=options)])
    assert all(code == 0 and "passed" in output for code, output in results), results


@pytest.mark.slow
@pytest.mark.parametrize("index", [0, 1])
def test_a_launcher_that_is_interrupted_while_it_waits(index):
    port = free_ports()
    options = "--hosts", "127.0.0.1,127.0.0.2,127.0.0.3", "--port", str(port), "--host-index"
    hosts = [start(3, "failures.py", "", options=(*options, str(i))) for i in range(2)]
    line = hosts[0].stdout.readline()
    while "waiting for the launcher of 127.0.0.3" not in line:
        line = hosts[0].stdout.readline()
    hosts[index].send_signal(signal.SIGINT)
    results = outputs(hosts, 30)
    assert [code for code, _ in results] == [130, 130], results
    where = "127.0.0.1", "127.0.0.2"
    said = f"launcher on {where[index]} was ended by SIGINT; nothing was started."
    assert said in results[1 - index][1] and said not in results[index][1], results


THIEVES = {"plain": (), "that reuses addresses": (socket.SO_REUSEADDR,)}


def steal(port, options):
    """Take a port, as another program would, if it can be taken."""
    thief = socket.socket()
    for option in options:
        thief.setsockopt(socket.SOL_SOCKET, option, 1)
    try:
        thief.bind(("127.0.0.1", port))
        thief.listen()
    except OSError:
        thief.close()
        return None
    return thief


@pytest.mark.parametrize("thief", THIEVES)
def test_a_reserve_port_is_not_given_away(thief):
    with reserve_port("127.0.0.1", 0) as held:
        port = held.getsockname()[1]
        assert steal(port, THIEVES[thief]) is None
        with pytest.raises(CannotLaunch, match=f"port {port} of 127.0.0.1 must be free"):
            reserve_port("127.0.0.1", port)  # for another job
        with socket.socket() as coordinator:  # as JAX's
            for option in socket.SO_REUSEADDR, socket.SO_REUSEPORT:
                coordinator.setsockopt(socket.SOL_SOCKET, option, 1)
            coordinator.bind(("127.0.0.1", port))
            coordinator.listen()
            with socket.create_connection(("127.0.0.1", port), 5), coordinator.accept()[0]:
                assert steal(port, THIEVES[thief]) is None
    with reserve_port("127.0.0.1", port):  # at once, although connections linger there
        pass


@pytest.mark.slow
@pytest.mark.parametrize("thief", THIEVES)
def test_nobody_takes_the_port_before_rank_0(thief, monkeypatch, capfd):
    """A program tries to, from the moment the launcher has chosen it until the ranks have ended."""
    has_ended, attempts, stolen = threading.Event(), [], []

    def steal_again_and_again(port):
        while not has_ended.wait(0.001):
            taken = steal(port, THIEVES[thief])
            attempts.append(taken)
            if taken is not None:
                stolen.append(taken)

    def held(host, port):
        socket = reserve_port(host, port)
        port = socket.getsockname()[1]
        threading.Thread(target=steal_again_and_again, args=(port,), daemon=True).start()
        return socket

    monkeypatch.setattr(launch, "reserve_port", held)
    monkeypatch.setenv("XLA_FLAGS", FAST)
    monkeypatch.delenv("SPORAX_TIERS", raising=False)
    code = launch.launch(2, [str(SCRIPTS / "collectives.py"), "gatherings"])
    has_ended.set()
    for one in stolen:
        one.close()
    output = capfd.readouterr().out
    assert code == 0 and output.count("passed") == 2 and not stolen, output
    assert len(attempts) > 100


def free_ports():
    """The first of two ports, one after the other, that nothing listens at."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@pytest.mark.slow
@pytest.mark.parametrize(("launcher", "what"), [
    ("msrun", "gatherings"), ("mpirun", "gatherings"), ("srun", "gatherings"), ("msrun", "killed"),
])  # fmt: skip
def test_ranks_that_other_launchers_start(launcher, what):
    """Their variables are set by hand; none of them watches over the ranks."""
    port = free_ports()
    variables = {
        "msrun": lambda i: {
            "MS_WORKER_NUM": "2", "MS_NODE_ID": str(i), "MS_ROLE": "MS_WORKER",
            "MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": str(port), "DEVICE_ID": str(i),
        },
        "mpirun": lambda i: {
            "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": str(i),
            "OMPI_COMM_WORLD_LOCAL_RANK": str(i), "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
            "PMIX_NAMESPACE": f"prterun-{port}",
        },
        "srun": lambda i: {
            "SLURM_JOB_ID": str(port), "SLURM_STEP_NODELIST": "localhost", "SLURM_NTASKS": "2",
            "SLURM_PROCID": str(i), "SLURM_LOCALID": str(i),
        },
    }[launcher]  # fmt: skip
    script = SCRIPTS / ("failures.py" if what == "killed" else "collectives.py")
    results = outputs([run("run", str(script), what, **variables(i)) for i in range(2)])
    if what == "killed":
        assert results[1][0] == -signal.SIGKILL and results[0][0] != 0, results
        check_failure(results[1][1], "")
    else:
        assert all(code == 0 and "passed" in output for code, output in results), results


def test_ranks_that_init_method_joins():
    script, port = str(SCRIPTS / "init_method.py"), str(free_ports())
    results = outputs([run("run", script, str(i), port) for i in range(2)])
    assert [code for code, _ in results] == [0, 0], results


@pytest.mark.slow
def test_ranks_of_one_host_listen_on_loopback():
    addresses = re.findall(r"listens at (\S+)", passes(2, "listening.py"))
    assert len(addresses) >= 3 and {a.rpartition(":")[0] for a in addresses} == {"127.0.0.1"}


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
    from sporax._src.workbench.cli import main

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
        ("sgd", [(2, "dynamic"), (2, "graph"), (2, "loop"), (2, "ddp"), (4, "dynamic")]),
        ("momentum", [(2, "model"), (2, "dynamic"), (2, "dynamic"), (4, "loop"), (4, "loop")]),
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
def test_a_run_goes_on_with_another_number_of_ranks(tmp_path):
    """62 rows: 2 ranks have 31 each, of which the last 7 are left out, as one process does."""
    parts = {"whole": [(1, 0, 12)], "moved": [(2, 0, 5), (1, 5, 7), (2, 7, 12)]}
    trained = {}
    for name, runs in parts.items():
        folder = tmp_path / name
        folder.mkdir()
        for n, begin, end in runs:
            output = passes(n, "resume.py", str(folder), str(begin), str(end), "62")
            assert output.count("7 batches an epoch") == n
        trained[name] = [dict(np.load(folder / f"12-{rank}.npz")) for rank in range(n)]
    (whole,), (first, second) = trained["whole"], trained["moved"]
    for name, value in whole.items():
        assert (first[name] == second[name]).all()
        np.testing.assert_allclose(first[name], value, 1e-5, 1e-6, err_msg=name)


@pytest.mark.slow
def test_shards_that_differ_in_length_end_together(tmp_path):
    """62 rows on 4 ranks: the last two have 15 and begin again at the first rows."""
    output = passes(4, "resume.py", str(tmp_path), "0", "20", "62")
    assert output.count("8 batches an epoch") == 4
    ranks = [dict(np.load(tmp_path / f"20-{rank}.npz")) for rank in range(4)]
    assert all((r[name] == ranks[0][name]).all() for r in ranks for name in r)


def test_rank_0_may_do_things_by_itself(tmp_path):
    assert passes(2, "interleavings.py", str(tmp_path), "0", "1").count("passed 1") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "first", "last"), [(2, 0, 25), (2, 25, 50), (3, 50, 75), (4, 75, 100)]
)
def test_rank_0_may_do_things_at_random_places(n, first, last, tmp_path):
    output = passes(n, "interleavings.py", str(tmp_path), str(first), str(last), seconds=900)
    assert output.count(f"passed {last - first}") == n, output
