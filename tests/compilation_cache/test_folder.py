"""The folder of compiled programs: what it is keyed by, bounded by, and what cannot harm it."""

import json
import os
import platform
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import jax
import numpy as np
import pytest
from jax._src import cache_key, compiler

from sporax._src.runtime.compilation_cache import folder as compilation_cache

ROOT = Path(__file__).resolve().parents[2]
LENGTHS = 0, 10, 32, 40, -1  # of a file that was cut short

# some programs; says what they computed, how many were found, and how many compiled
SCRIPT = """
import json, jax
from sporax import Tensor, jit
counts = {"hits": 0, "misses": 0}
def happened(event, **_):
    name = event.removeprefix("/jax/compilation_cache/cache_")
    if name in counts:
        counts[name] += 1
jax.monitoring.register_event_listener(happened)
fs = [jit(lambda x: (x * 2).sum()), jit(lambda x: x.sin().sum()), jit(lambda x: (x @ x).max())]
values = [float(f(Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()) for f in fs]
print(json.dumps([values, counts["hits"], counts["misses"]]))
"""
VALUES = [20.0, float(np.sin([1.0, 2, 3, 4]).sum()), 22.0]


def started(folder, script=SCRIPT, **variables):
    """A fresh process in which every warning is an error."""
    where = dict(os.environ, SPORAX_CACHE_DIR=str(folder), PYTHONPATH=str(ROOT), **variables)
    where["SPORAX_VERIFY"] = "off"  # the admission test keeps programs and a verdict
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script], env=where, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def ended(process):
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    values, result, compiled = json.loads(out)
    np.testing.assert_allclose(values, VALUES, rtol=1e-6)
    return result, compiled, errors


def programs(folder):
    assert not list(folder.glob("*.part"))
    return sorted(folder.glob("*.program"))


def is_whole(file):
    return compilation_cache.Folder(file.parent).get(file.stem) is not None


# processes ----------------------------------------------------------------------------------


def test_two_processes_at_once_and_damaged_files(tmp_path):
    folder = tmp_path / "not" / "there yet"
    both = [started(folder), started(folder)]
    for process in both:
        ended(process)
    files = programs(folder)
    kept = len(files)
    assert kept >= 3 and all(is_whole(file) for file in files)
    contents = [file.read_bytes() for file in files]
    damaged = [contents[0][: len(contents[0]) // 2], b"\x00garbage" * 1000, b""]
    for file, content in zip(files, damaged, strict=False):
        file.write_bytes(content)
    # both meet the same damage at once, say nothing, and leave whole files
    both = [started(folder), started(folder)]
    for process in both:
        assert ended(process)[2] == ""
    assert programs(folder) == files and all(is_whole(file) for file in files)
    assert ended(started(folder))[:2] == (kept, 0)


def test_a_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    ran = started(tmp_path / "file" / "below", "import warnings; warnings.resetwarnings()" + SCRIPT)
    result, _, errors = ended(ran)
    assert result == 0
    assert errors.count("Compiled programs cannot be kept in") == 1
    assert "(Not a directory)" in errors and "SPORAX_CACHE_DIR" in errors


# five steps of gradient descent, each with rows of another number; after two the folder is changed
TRAINING = """
import warnings; warnings.resetwarnings()
import json, os, pathlib, shutil
import sporax as ms
from sporax import Parameter, Tensor, ops
folder = pathlib.Path(os.environ["SPORAX_CACHE_DIR"])
w = Parameter(Tensor([1.0, 2.0]), name="w")
gradient = ms.grad(lambda x: (ops.sin(x) @ w).sum(), None, w)
@ms.jit
def step(x):
    ops.assign_sub(w, 0.5 * gradient(x))
for n in range(1, 6):
    step(ops.full((n, 2), 0.25 * n))
    if n == 2:
        w.asnumpy()
        found = len(list(folder.glob("*.program")))
        {change}
w.asnumpy()
kept = len(list(folder.glob("*.program"))) if folder.is_dir() else 0
print(json.dumps([w.asnumpy().tolist(), found, kept]))
"""
# what happens to the folder -> what is said of it then
CHANGES = {
    "it vanishes": ("shutil.rmtree(folder)", None),
    "it becomes read-only": (
        "def fail(*_): raise OSError(30, 'Read-only file system')\n"
        "        pathlib.Path.write_bytes = fail; os.utime = fail",
        "Read-only file system",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_the_folder_changes_in_the_middle_of_a_training(name, tmp_path):
    change, said = CHANGES[name]
    process = started(tmp_path / "cache", TRAINING.replace("{change}", change))
    out, errors = process.communicate()
    assert process.returncode == 0, errors
    weights, before, after = json.loads(out)
    steps = sum(n * np.sin(0.25 * n) for n in range(1, 6))
    np.testing.assert_allclose(weights, np.array([1.0, 2.0]) - 0.5 * steps, rtol=1e-6)
    assert before > 0 and after > 0  # a folder that has vanished is made again
    assert errors.count("Compiled programs cannot be kept in") == (said is not None)
    assert said is None or said in errors


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are POSIX's")
def test_a_disk_that_takes_only_part_of_a_program(tmp_path):
    full = (
        "import resource, signal, sys, warnings; warnings.resetwarnings()\n"
        "sys.dont_write_bytecode = True  # Python would leave parts of its files\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    )
    _, _, errors = ended(started(tmp_path, full + SCRIPT))
    assert errors.count("Compiled programs cannot be kept in") == 1
    assert "(File too large)" in errors
    assert not list(tmp_path.iterdir())


def test_the_second_start_of_the_demo_compiles_nothing(tmp_path):
    measure = (
        "from bench import warm\n"
        "warm.CASES['demo'] = lambda: warm.demo(epochs=1)\n"
        "warm.measure('demo')\n"
    )
    first, second = (json.loads(started(tmp_path, measure).communicate()[0]) for _ in range(2))
    assert first["compiled"] == second["found"] > 0
    assert second["compiled"] == first["found"] == 0
    assert second["compile"] <= 0.2 * first["compile"]


# what is kept -------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_a_file_cut_short_is_as_none(length, tmp_path):
    folder = compilation_cache.Folder(tmp_path)
    folder.put("key", b"a program" * 100)
    (file,) = programs(tmp_path)
    file.write_bytes(file.read_bytes()[:length])
    assert folder.get("key") is None
    folder.put("key", b"a program" * 100)
    assert folder.get("key") == b"a program" * 100


def test_a_flipped_bit_is_found_wherever_it_is(tmp_path):
    folder = compilation_cache.Folder(tmp_path)
    folder.put("key", b"a program")
    (file,) = programs(tmp_path)
    content = file.read_bytes()
    for at in range(len(content)):
        file.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        assert folder.get("key") is None
    assert folder.get("another") is None


def test_names_too_long_for_a_file(tmp_path):
    folder = compilation_cache.Folder(tmp_path)
    folder.put("f" * 500 + "-" + "0" * 64, b"1")
    assert folder.get("f" * 500 + "-" + "0" * 64) == b"1"


def test_the_folder_is_bounded_and_keeps_what_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(compilation_cache, "MOST_BYTES", 3000)
    monkeypatch.setattr(compilation_cache, "PRUNED_AFTER", 500)
    folder = compilation_cache.Folder(tmp_path)
    for i in range(100):
        folder.put(f"key{i}", bytes(100))
        for file in tmp_path.iterdir():  # the clock of a file system may stand for a while
            os.utime(file, ns=(0, file.stat().st_mtime_ns - 10**7))
        assert folder.get("key0") == bytes(100)
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 3500 + 132
    assert len(programs(tmp_path)) >= 20
    # a process that is killed, again and again, does not make it grow: the first program prunes
    monkeypatch.setattr(compilation_cache, "MOST_BYTES", 1000)
    compilation_cache.Folder(tmp_path).put("key", bytes(100))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 1000


def test_prune_deletes_the_oldest(tmp_path):
    for i in range(6):
        file = tmp_path / f"program-{i}"
        file.write_bytes(bytes(100))
        os.utime(file, (i, i))
    compilation_cache.prune(tmp_path, 350)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["program-3", "program-4", "program-5"]
    compilation_cache.prune(tmp_path / "absent", 350)


def test_readers_writers_and_pruning_at_once(tmp_path):
    wrong, contents = [], {f"key{i}": bytes([i]) * 20_000 for i in range(8)}

    def work(seed):
        rng, folder = np.random.default_rng(seed), compilation_cache.Folder(tmp_path)
        for _ in range(150):
            key = f"key{rng.integers(8)}"
            result = folder.get(key)
            if result is None:
                folder.put(key, contents[key])
            elif result != contents[key]:
                wrong.append(key)
            if rng.integers(10) == 0:
                compilation_cache.prune(tmp_path, 80_000)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and all(is_whole(file) for file in programs(tmp_path))


# the key ------------------------------------------------------------------------------------


def key_of(lowered):
    module, devices = lowered.compiler_ir(), np.array(jax.devices()[:1])
    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    return cache_key.get(module, devices, options, devices[0].client)


def test_what_the_key_of_a_program_holds(monkeypatch):
    """It is JAX's; what it has to hold is checked, lest another version of JAX leave it out."""
    lowered = jax.jit(lambda x: x + 1).lower(1.0)
    own, topology = key_of(lowered), cache_key.xla_client.get_topology_for_devices
    assert key_of(lowered) == own
    assert key_of(jax.jit(lambda x: x + 2).lower(1.0)) != own
    others = [
        (cache_key, "jaxlib_version_str", "0.0.0"),
        (cache_key, "_hash_platform", lambda total, backend: total.update(b"another")),
        (cache_key.xla_client, "get_topology_for_devices", lambda d: another(topology(d))),
        (cache_key.os, "getenv", lambda name: "--xla_cpu_enable_fast_math=true"),
    ]
    for place, name, other in others:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, other)
            assert key_of(lowered) != own, name


def another(topology):
    return SimpleNamespace(fingerprint=lambda: topology.fingerprint() ^ 1)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names x86's sets")
def test_the_fingerprint_has_the_instruction_sets(tmp_path):
    """A program compiled for AVX512 must not be loaded where there is none."""
    run = (
        "import jax; from jax._src.lib import xla_client\n"
        "print(xla_client.get_topology_for_devices(jax.devices('cpu')).fingerprint())"
    )
    limits = ["", "", "--xla_cpu_max_isa=SSE4_2"]
    ran = [started(tmp_path, run, XLA_FLAGS=limit, JAX_PLATFORMS="cpu") for limit in limits]
    here, again, without = (process.communicate()[0] for process in ran)
    assert here == again != ""
    assert without not in ("", here)
