"""The admission test: before the first program for a combination of jaxlib, platform and processor
is compiled, the reproducers of known faults are compiled like sporax programs, and their results
checked. The verdict is cached beside the compiled programs, so that its third of a second is spent
once."""

import contextlib
import functools
import hashlib
import json
import os
import platform
import re
import secrets
from pathlib import Path

import jax

from sporax._src.core.environment import Process
from sporax._src.core.errors import warn
from sporax._src.core.jax_internals import default_device, default_platform, jaxpr_as_fun
from sporax._src.runtime.compilation_cache import folder
from sporax._src.runtime.xla_kernels import constant_barriers, jaxlib_faults
from sporax._src.versions import JAXLIB

_FACTS = Path("/proc/cpuinfo")  # on Linux only
_SUFFIX = ".admission"


def verdict():
    """Return the names of the faults that occur here despite their workarounds."""
    file = _file()
    wrong = _read(file)
    if wrong is None:
        wrong = [fault.name for fault in _tried() if not _is_right(fault)]
        _write(file, wrong)
    return wrong


@functools.cache
def admit():
    """Warn about the faults that occur here, once per process."""
    if Process.is_forked or not _tried():
        return
    wrong = verdict()
    if wrong:
        warn(
            f"jaxlib {JAXLIB} gives wrong numbers on this processor "
            f"({', '.join(wrong)}; see docs/versions.md). Programs are compared with the "
            "interpreter before they are used; set SPORAX_VERIFY=always to compare each run, or "
            "install another jaxlib."
        )


def _tried():
    """Return the faults whose reproducers run here."""
    here = {"gpu": "cuda"}.get(default_platform(), default_platform())
    return [
        fault for fault in jaxlib_faults.FAULTS
        if fault.reproducer and not fault.ends_process and fault.platform == here
    ]  # fmt: skip


def _is_right(fault):
    return fault.reproducer(as_program)


def as_program(function):
    """Wrap a function to be compiled like sporax programs."""
    options = jaxlib_faults.compiler_options()

    def run(*arrays):
        kinds = [constant_barriers.ANY] * len(arrays)
        jaxpr, _ = constant_barriers.Barriers().put(jax.make_jaxpr(function)(*arrays), kinds)
        return jax.jit(jaxpr_as_fun(jaxpr), compiler_options=options)(*arrays)[0]

    return run


def processor():
    """Return (name, instruction sets) of the processor, as far as the system reports them."""
    facts = _FACTS.read_text("utf8", "replace") if _FACTS.exists() else ""
    name = re.search(r"^model name\s*: (.*)$", facts, re.MULTILINE)
    sets = re.search(r"^(?:flags|Features)\s*: (.*)$", facts, re.MULTILINE)
    return name[1] if name else platform.machine(), sets[1] if sets else ""


def _file():
    """Return the file of the cached verdict; None without a cache."""
    where = folder.folder()
    if where is None:
        return None
    device = default_device()
    facts = JAXLIB, device.platform, device.device_kind, *processor()
    facts += os.environ.get("XLA_FLAGS", ""), *(fault.name for fault in _tried())
    return where / (hashlib.sha256("\0".join(facts).encode()).hexdigest() + _SUFFIX)


def _read(file):
    """Return the names in a file; None if it is missing or invalid."""
    try:
        wrong = json.loads(file.read_bytes()[:10_000]) if file else None
    except (OSError, ValueError):
        return None
    names = {fault.name for fault in _tried()}
    return wrong if isinstance(wrong, list) and names.issuperset(map(str, wrong)) else None


def _write(file, wrong):
    if file is None:
        return
    temporary = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    with contextlib.suppress(OSError):  # the next process tries again
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary.write_text(json.dumps(wrong))
        os.replace(temporary, file)
