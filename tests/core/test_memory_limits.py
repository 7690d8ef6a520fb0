"""Where the memory that a process may have runs out: one MemoryError of sporax, and it goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sporax._src.core import memory_limits
from sporax._src.core.memory_limits import RESERVE, Budget

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_AS of Linux")

# Computes, limits the addresses to so many MB more unless it is in a control group, and asks for
# more and more until an error comes, twice; after each it computes as before, and something new.
SCRIPT = """
import os, resource, sys
for group in sys.argv[3:]:
    open(group, "w").write(str(os.getpid()))
import numpy as np
import sporax as ms
from sporax import Tensor, jit, ops

def f(x):
    return (ops.sort(ops.tanh(x) * 2.0 + x, -1)[0] * x).sum()

captured, x = jit(f), Tensor(np.ones((8, 8), np.float32))
expected = 64 * (2 * np.tanh(1.0) + 1)

def computes(number):
    for function in (f, captured, captured, jit(lambda x: f(x) + number - number)):
        np.testing.assert_allclose(function(x).item(), expected, rtol=1e-5)

def dynamic():
    while True:
        held.append(ops.exp(Tensor(np.zeros((1000, 1000), np.float32))) + 1.0)
        held[-1].data_sync()

def in_graphs():
    for k in range(16, 40):
        captured(ops.zeros((2**k // 64, 64), ms.float32)).item()

def late():
    jit(lambda x: ops.sort(ops.broadcast_to(x, (2**26, 8)) * 2.0, 0)[0])(x[0]).asnumpy()

def small():
    while True:
        held.append(Tensor(np.zeros(10_000, np.float32)))

def compiling():
    held.append(bytearray(more - 70 * 2**20))
    for n in range(1, 10_000):
        held.append(jit(lambda x: f(x) * n))
        held[-1](x).item(), held[-1](x).item()

ask, more = globals()[sys.argv[1]], int(sys.argv[2]) * 2**20
computes(0.5)
limit = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + more
if not sys.argv[3:]:
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for turn in range(2):
    held = []
    try:
        ask()
    except MemoryError as error:
        print(error, flush=True)
    held.clear()
    computes(turn + 1.5)
"""


@linux_only
@pytest.mark.parametrize(
    ("ask", "more"),
    [("dynamic", 250), ("in_graphs", 250), ("late", 600), ("small", 250), ("compiling", 250)],
)
def test_a_process_outlives_its_limit(ask, more):
    outlives(ask, str(more))


def outlives(*arguments):
    run = [sys.executable, "-c", SCRIPT, *arguments]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("For '") and "memory must suffice" in line for line in lines)


@pytest.fixture
def control_group():
    """The file that takes a process into a control group of 450 MB, where this process may make
    one."""
    for root, _, limit, *_ in memory_limits._GROUP_FILES:
        folder = Path(root, f"sporax-test-{os.getpid()}")
        try:
            folder.mkdir()
        except OSError:
            continue
        if (folder / limit).exists():
            (folder / limit).write_text(str(450 * 2**20))
            yield str(folder / "cgroup.procs")
            folder.rmdir()
            return
        folder.rmdir()  # the root of groups of another kind
    pytest.skip("no control group may be made here")


@linux_only
@pytest.mark.parametrize("ask", ["dynamic", "in_graphs", "late", "small"])
def test_a_process_outlives_its_control_group(ask, control_group):
    """The system kills what takes more, without an error."""
    outlives(ask, "150", control_group)


class Group:
    """The files of a control group, and what a process in it may still ask for."""

    def __init__(self, folder, monkeypatch, version):
        *_, limit, used, self.entry = memory_limits._GROUP_FILES[version == 1]
        self.limit, self.used = folder / limit, folder / used
        self.statistics = folder / "memory.stat"
        files = ((self.limit, self.used, self.statistics, self.entry),)
        monkeypatch.setattr(memory_limits, "_control_groups", lambda: files)

    def write(self, limit, used, cached):
        self.limit.write_text(f"{limit}\n")
        self.used.write_text(f"{used}\n")
        self.statistics.write_bytes(b"anon 1\n%s %d\nshmem 2\n" % (self.entry, cached))


@pytest.mark.parametrize("version", [1, 2])
def test_a_full_control_group(tmp_path, monkeypatch, version):
    """The system kills a process that takes more; the cache of files counts as free."""
    group, released = Group(tmp_path, monkeypatch, version), []
    monkeypatch.setattr(memory_limits, "_RLIMITS", {})
    monkeypatch.setattr(memory_limits, "_give_back", lambda: released.append("for good"))
    monkeypatch.setattr(memory_limits, "releases", [lambda: released.append("now")])
    budget = Budget()
    group.write(2**30, 2**29 + 2**20, 2**20)
    budget.spend(2**29 - RESERVE)
    assert not released
    with pytest.raises(MemoryError, match="537 MB were asked for, and 503 MB"):
        budget.spend(2**29)
    assert released == ["for good", "now"]
    group.write("max", 2**29, 0)
    budget.spend(2**40)
    assert not budget.is_limited


def test_looks_at_limits_are_few(monkeypatch):
    looks = []
    monkeypatch.setattr(memory_limits, "_left", looks.append)
    budget = Budget()
    for _ in range(10_000):
        budget.spend(10_000)
    assert len(looks) == 1 + 10_000 * 10_000 // 2**24
