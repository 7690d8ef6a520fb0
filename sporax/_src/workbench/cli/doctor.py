"""`sporax doctor`: describes the installation and reports its problems."""

import importlib.util
import os
import platform
import re
import time
import warnings
from importlib import metadata

import jax
import numpy as np

import sporax
from sporax import nn
from sporax._src import operating_system
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.compat import MINDSPORE_VERSION
from sporax._src.runtime.compilation_cache import folder
from sporax._src.runtime.engine.verification import admission
from sporax._src.runtime.xla_kernels import jaxlib_faults
from sporax._src.runtime.xla_kernels.onednn import library
from sporax._src.versions import JAXLIB
from sporax._src.workbench.cli import gpu

_MARKS = {"fine": " ", "note": "!", "problem": "x"}
_SETTINGS = re.compile(
    r"SPORAX_|JAX_|XLA_|OMP_NUM_THREADS$|CUDA_VISIBLE_DEVICES$|LD_LIBRARY_PATH$|TF_CPP_"
)
_TRIALS = 20
_EXTRA = re.compile(r"([\w.-]+)\s*[^\[\w.-].*extra == ['\"]([\w-]+)['\"]")


class Problem(Exception):
    """A failed check; the message says why."""


def doctor():
    """Run and print all checks; return 1 if one finds a problem, else 0."""
    width, worst = max(map(len, CHECKS)), "fine"
    for name, check in CHECKS.items():
        state, lines = _examined(check)
        for line in lines:
            print(f"{_MARKS[state]} {name:{width}}  {line}")
            name = ""
        if state == "problem" or worst == "fine":
            worst = state
    print(f"\n{_ENDS[worst]}")
    return int(worst == "problem")


_ENDS = {
    "fine": "Everything is as it should be.",
    "note": "It works; lines with ! say what could be better.",
    "problem": "Lines with x say what does not work.",
}


def _examined(check):
    """Return (state, lines) of a check: a warning makes it a note, an exception a problem."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            result = check()
        except Exception as error:  # noqa: BLE001 (each is shown, and the next check runs)
            why = str(error) if isinstance(error, Problem) else f"{type(error).__name__}: {error}"
            return "problem", [why]
    lines = [result] if isinstance(result, str) else result
    return "note" if given else "fine", [*lines, *[str(w.message) for w in given]]


def _versions():
    return (
        f"sporax {sporax.__version__} (follows MindSpore {MINDSPORE_VERSION}), Python "
        f"{platform.python_version()}, NumPy {metadata.version('numpy')}, {platform.platform()}"
    )


def _jax():
    avoided = [f"avoided: {f.name} ({f.issue}): {f.remedy}" for f in jaxlib_faults.present()]
    wrong = admission.verdict()
    if wrong:
        raise rejection("jaxlib-gives-wrong-numbers", error=Problem, jaxlib=JAXLIB, names=wrong)
    return [
        f"jax {jax.__version__}, jaxlib {JAXLIB}",
        *avoided,
        "admission test: the reproducers of its known faults give what they should",
    ]


def _devices():
    memories = [(device.memory_stats() or {}).get("bytes_limit") for device in jax.devices()]
    return [
        f"{device}: {device.device_kind}" + (f", {bytes_text(memory)}" if memory else "")
        for device, memory in zip(jax.devices(), memories, strict=True)
    ]


def _gpu():
    cards, plugins = gpu.cards(), gpu.plugins()
    for text in gpu.advice(cards, plugins, {device.platform for device in jax.devices()}):
        warnings.warn(text, stacklevel=1)
    lines = [f"{c.name}, driver {c.driver}, compute capability {c.capability}" for c in cards]
    lines += [f"{name} {version}" for name, version in plugins.items()]
    precision = jax.config.jax_default_matmul_precision
    return [*lines, f"float32 products: precision {precision}"] if lines else "none of NVIDIA's"


def _processor():
    cores = len(operating_system.cores())
    wanted = os.environ.get("OMP_NUM_THREADS")
    if wanted and wanted.isdigit() and int(wanted) < cores:
        warnings.warn(
            f"OMP_NUM_THREADS={wanted} leaves convolutions and recurrent layers fewer threads than "
            f"the {cores} cores", stacklevel=1,
        )  # fmt: skip
    memory = bytes_text(operating_system.physical_memory())
    return f"{cores} of {os.cpu_count()} cores, {memory} of memory"


def _onednn():
    onednn = library.load()
    if onednn is None:
        return "not used: convolutions and recurrent layers run on XLA's kernels"
    major, minor = library.version(onednn)
    return f"{major}.{minor}, up to {onednn.omp_get_max_threads()} threads"


def _cache():
    where = folder.folder()
    if where is None:
        return f"switched off by {folder.VARIABLE}: each start compiles everything again"
    cache = folder.Folder(where)
    count, total = cache.content()
    hits, misses = cache.uses()
    rate = f"; {hits} of the last {hits + misses} were there already" if hits + misses else ""
    size = f"{bytes_text(total)} of at most {bytes_text(folder.MOST_BYTES)}"
    return f"{where}: {count} programs, {size}{rate}"


def _mindspore():
    spec = importlib.util.find_spec("mindspore")
    if spec is None:
        return (
            "not installed: 'import mindspore' is sporax in 'sporax run' and after "
            "sporax.install_as_mindspore()"
        )
    if "sporax" in (spec.origin or ""):
        return "sporax, for this process and those that it starts"
    return f"{spec.origin}; in 'sporax run' it is sporax nevertheless"


def _extras():
    wanted = {}
    for line in metadata.requires("sporax") or ():
        if (match := _EXTRA.search(line)) and match[1] != "sporax":
            wanted.setdefault(match[2], []).append(match[1])
    there = [extra for extra, names in wanted.items() if all(map(_is_installed, names))]
    absent = sorted(set(wanted) - set(there))
    return f"{', '.join(sorted(there)) or 'none'}" + (f"; not: {', '.join(absent)}" * bool(absent))


def _is_installed(name):
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _settings():
    settings = [
        f"{name}={value}" for name, value in sorted(os.environ.items()) if _SETTINGS.match(name)
    ]
    return settings or "no environment variables of sporax, JAX or XLA"


def _training():
    """Train for a few steps; the loss must fall."""
    start = time.perf_counter()
    rng = np.random.default_rng(0)
    x = sporax.Tensor(rng.normal(size=(64, 16)).astype(np.float32))
    y = sporax.Tensor((x.asnumpy() @ rng.normal(size=(16, 4))).argmax(1).astype(np.int32))
    net = nn.SequentialCell(nn.Dense(16, 32), nn.ReLU(), nn.Dense(32, 4))
    optimizer = nn.Momentum(net.trainable_params(), 0.2, 0.9)
    loss = nn.CrossEntropyLoss()
    step = sporax.value_and_grad(lambda: loss(net(x), y), None, optimizer.parameters)
    losses = []
    for _ in range(_TRIALS):
        value, gradients = step()
        optimizer(gradients)
        losses.append(float(value))
    require(losses[-1] < losses[0] / 2, "steps-small-network-went", trials=_TRIALS,
            losses=losses[0], losses2=losses[-1], error=Problem)  # fmt: skip
    fall = f"loss {losses[0]:.2f} to {losses[-1]:.2f}"
    return f"{_TRIALS} steps of a small network in {time.perf_counter() - start:.1f} s: {fall}"


# the checks, in order
CHECKS = {
    "versions": _versions, "jax": _jax, "devices": _devices, "GPU": _gpu, "processor": _processor,
    "oneDNN": _onednn, "compiled programs": _cache, "mindspore": _mindspore, "extras": _extras,
    "settings": _settings, "training": _training,
}  # fmt: skip
