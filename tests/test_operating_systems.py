"""Other operating systems, simulated: what Windows and macOS lack is deleted from Python's modules
before sporax is imported, and a script trains, saves, loads and reads files."""

import ctypes
import os
import signal
import subprocess
import sys
import types

import pytest

from sporax._src import operating_system

# of the Python documentation: "Availability: Unix, not macOS" or "Linux", and "Unix"
LINUX = """os.memfd_create os.sched_getaffinity os.sched_setaffinity os.sched_getscheduler
os.sched_setscheduler os.SCHED_BATCH os.SCHED_OTHER os.posix_fadvise os.O_TMPFILE os.pipe2
signal.SIGSTKFLT signal.SIGPWR"""
UNIX = """os.sysconf os.pread os.pwrite os.preadv os.pwritev os.killpg os.getpgid os.setsid
os.geteuid os.getuid os.fchmod os.fchown os.chown os.mkfifo os.WNOHANG os.uname os.getloadavg
os.fork os.register_at_fork os.O_NOFOLLOW os.O_NONBLOCK os.O_DIRECTORY os.O_CLOEXEC os.posix_spawn
os.set_blocking os.nice os.getpriority signal.SIGKILL signal.SIGSTOP signal.SIGPIPE signal.SIGHUP
signal.SIGALRM signal.SIGUSR1 signal.SIGUSR2 signal.SIGCHLD signal.setitimer signal.alarm
signal.pthread_sigmask socket.AF_UNIX socket.send_fds socket.recv_fds socket.SO_REUSEPORT
select.poll select.epoll"""
MODULES = "resource fcntl pwd grp termios"
SYSTEMS = {"darwin": (LINUX, ""), "win32": (f"{LINUX} {UNIX}", MODULES)}

SCRIPT = """
import os, select, signal, socket, subprocess, sys  # the libraries find what they need
import importlib, jax, jax.export, jaxlib, multiprocessing.pool, numpy, platform, PIL.Image

names, modules = sys.argv[1:3]
for name in names.split():
    module, _, name = name.partition(".")
    vars(importlib.import_module(module)).pop(name, None)
for name in modules.split():
    sys.modules[name] = None

platform.libc_ver = lambda *arguments, **options: ("", "")

import sporax
sporax.install_as_mindspore()
import mindspore as ms
from mindspore import dataset, mindrecord, nn, ops, runtime, train
from sporax._src.workbench.cli.command import main

net = nn.SequentialCell(nn.Dense(4, 16), nn.ReLU(), nn.Dense(16, 3))
rows = [{"data": numpy.full(4, i, "f4"), "label": i % 3} for i in range(12)]
writer = mindrecord.FileWriter("rows.mindrecord", 1, overwrite=True)
writer.add_schema({"data": {"type": "float32", "shape": [4]}, "label": {"type": "int32"}})
writer.write_raw_data([{**row, "label": int(row["label"])} for row in rows])
writer.commit()
data = dataset.MindDataset("rows.mindrecord", shuffle=False).batch(4)
model = train.Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.01))
model.train(2, data, callbacks=[train.OnRequestExit()])
ms.save_checkpoint(net, "net.ckpt")
assert not any(ms.load_param_into_net(net, ms.load_checkpoint("net.ckpt")))
step = ms.jit(lambda x: net(x).sum())
assert numpy.isfinite(float(step(ops.ones((2, 4)))))
runtime.set_cpu_affinity(False)
code = main(["doctor"])
print("doctor", code, "launch", main(["launch", "-n", "2", "never.py"]))
"""


@pytest.mark.parametrize("system", SYSTEMS)
def test_trains_and_reads_files(system, tmp_path):
    names, modules = SYSTEMS[system]
    if system == "darwin":  # whose `launch` starts ranks
        names += " os.killpg"
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, names, modules]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("doctor 0 launch 2\n")
    assert "ranks need process groups" in done.stderr


def test_memory_of_a_machine():
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert operating_system.physical_memory() == pages


@pytest.fixture
def elsewhere(monkeypatch):
    operating_system.physical_memory.cache_clear()
    yield monkeypatch
    operating_system.physical_memory.cache_clear()


@pytest.mark.parametrize("error", [AttributeError, ValueError, OSError])
def test_memory_that_is_not_reported(error, elsewhere):
    def sysconf(name):
        raise error(name)

    elsewhere.setattr(os, "sysconf", sysconf)
    assert operating_system.physical_memory() == operating_system.UNKNOWN_MEMORY


@pytest.mark.parametrize("known", [1, 0])
def test_memory_on_windows(known, elsewhere):
    def status_of(reference):
        words = ctypes.cast(reference, ctypes.POINTER(ctypes.c_uint64))
        assert words[0] == 64  # the size in bytes and a load of 0, as Windows demands
        words[1] = 2**33
        return known

    kernel = types.SimpleNamespace(GlobalMemoryStatusEx=status_of)
    elsewhere.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    elsewhere.setattr(sys, "platform", "win32")
    expected = 2**33 if known else operating_system.UNKNOWN_MEMORY
    assert operating_system.physical_memory() == expected


def test_reads_at_an_offset_without_pread(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"0123456789")
    with open(tmp_path / "file", "rb") as file:
        assert operating_system.read_at(file, 3, 4) == b"456"
        monkeypatch.delattr(os, "pread")
        assert operating_system.read_at(file, 3, 4) == b"456"


def test_uncaught_signals():
    assert {signal.SIGKILL, signal.SIGSTOP} == operating_system.UNCAUGHT
