"""Memory that programs free stays in the process, unless the environment says otherwise."""

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="settings of glibc")

PAGES = 64 * 2**20 // 4096

# Runs a program with 64 MB of results. Prints how many pages a later run enters anew (the median:
# where the heap is still growing, a run meets new ones), and how many `empty_cache` gives back.
SCRIPT = """
import resource
from pathlib import Path
import numpy as np
import sporax as ms
from sporax import Tensor, jit
from sporax.compat.runtime import empty_cache

step = jit(lambda x: x * 2.0 + 1.0)
x = Tensor(np.zeros(2**24, np.float32))
for _ in range(3):
    step(x).asnumpy()[0]

def entered():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

runs = []
for _ in range(12):
    before = entered()
    step(x).asnumpy()[0]
    runs.append(entered() - before)
kept = resident()
empty_cache()
print(sorted(runs)[6], kept - resident())
"""
NO_KEEPING = {"SPORAX_KEEP_MEMORY": "off"}
BY_GLIBC = {
    "MALLOC_MMAP_MAX_": "65536",
    "GLIBC_TUNABLES": "glibc.malloc.arena_max=8:glibc.malloc.trim_threshold=131072",
}


def run(environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("environment", "is_kept"),
    [({}, True), (NO_KEEPING, False), (BY_GLIBC, False)],
    ids=["default", "off", "glibc's own settings"],
)
def test_pages_of_later_runs(environment, is_kept, monkeypatch):
    done = run(environment, monkeypatch)
    entered, released = map(int, done.stdout.split())
    assert entered < PAGES / 4 if is_kept else entered > PAGES / 2
    assert released > PAGES / 2 if is_kept else released < PAGES / 2


def test_another_value(monkeypatch):
    done = run({"SPORAX_KEEP_MEMORY": "maybe"}, monkeypatch)
    message = "SPORAX_KEEP_MEMORY must be 'on' or 'off', but got 'maybe'"
    assert message in done.stderr
