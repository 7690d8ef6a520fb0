"""Packed programs: `sporax pack` compiles every program of a run and writes them to one file, from
which `sporax run --packed` loads them, without tracing, lowering or compiling.

While a run is packed, nothing is left to the interpreter, and each program is compared with it
once. A packed run finds a program by the hash of its trace; what is not in the file runs as always.
The file's fingerprint must be this process's: versions, sporax's source, device, processor, XLA's
flags.
"""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

import jax

from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import (
    default_device,
    initialize_lapack,
    loaded_executable,
    serialized_executable,
)
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.compilation_cache import folder, packed_file
from sporax._src.runtime.engine.limited_program import LimitedProgram
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.trace_key import key_of
from sporax._src.runtime.engine.verification import admission
from sporax._src.runtime.engine.verification import switch as verification
from sporax._src.runtime.engine.verification.report import report
from sporax._src.runtime.xla_kernels.onednn import convolution, library, recurrence
from sporax._src.versions import JAXLIB

_LARGE = b"large"  # before a program that `host_memory` prepares


class State:
    """`programs`: of the packed file in use, {hash of a trace: content}; None without one.
    `written`: of the run that is packed, {hash: (content, trace)}; None in another one. `missing`:
    the number of its programs that cannot be packed. `others`: programs that JAX compiled besides.
    `used`: the number of programs of the file that were loaded."""

    programs: ClassVar[Any] = None
    written: ClassVar[Any] = None
    others: ClassVar[Any] = None
    used = missing = 0


def fingerprint(version):
    """Return what must be equal where a packed file is used. `version`: of sporax."""
    device, (processor, sets) = default_device(), admission.processor()
    onednn = library.load()
    return {
        "sporax": f"{version}, source {_source()}",
        "Python": ".".join(map(str, sys.version_info[:2])),
        "jax": jax.__version__,
        "jaxlib": JAXLIB,
        "platform": device.platform,
        "device": device.device_kind,
        "driver": device.client.platform_version,
        "number of devices": str(jax.device_count()),
        "processor": processor,
        "instruction sets": " ".join(sorted(sets.split())),
        "oneDNN": ".".join(map(str, library.version(onednn))) if onednn else "none",
        "XLA_FLAGS": " ".join(sorted(os.environ.get("XLA_FLAGS", "").split())),
    }


def _source():
    """Return a hash of the source of sporax's operations and programs."""
    root, total = Path(__file__).parents[2], hashlib.sha256()
    for part in (root, root.parent / "ops"):
        for file in sorted(part.rglob("*.py")):
            total.update(file.read_bytes())
    return total.hexdigest()[:12]


# writing ----------------------------------------------------------------------------------------


def begin():
    """Compile all programs of the run from now on, to pack them."""
    State.written, State.others = {}, folder.record()


def is_written():
    """Return True if the run is packed."""
    return State.written is not None and not Process.is_forked


def compiled(make, trace, alive, dead):
    """Return a new program of a trace; if it can be packed, as it is when loaded from the file."""
    program, key = make(), None
    is_limited = isinstance(program.compiled, LimitedProgram)
    is_plain = type(program) is Program and hooks.devices is None and not is_limited
    if is_plain and program.runs.most is None:
        key = key_of(trace, alive, tuple(program.donated))
    if key is None:
        State.missing += 1
        return program
    State.others.is_open = False  # it is packed by its own key
    try:
        compiled = program.compiled.lower(*_specs(program, trace)).compile()
    finally:
        State.others.is_open = True
    content = serialized_executable(compiled)
    if content is None:
        State.missing += 1
        program.compiled = compiled
        return program
    content = _LARGE * program.runs.is_large + content
    State.written[key] = content, trace
    return _with(program, trace, alive, content)


def end(path, version, key):
    """Write the packed file; return (programs in it, programs left out, bytes)."""
    wrong = {id(finding.trace) for finding in report.findings}
    kept = [(k, content) for k, (content, trace) in State.written.items() if id(trace) not in wrong]
    contents = dict(kept)
    count = len(contents)
    contents |= State.others.programs
    verdict = {"compared": report.compared, "equal": report.equal, "wrong": len(wrong)}
    verdict |= {"not compared": dict(report.left_out), "faults": admission.verdict()}
    facts = {"fingerprint": fingerprint(version), "verdict": verdict, "programs": count}
    packed_file.write(path, facts, contents, key)
    return count, State.missing + len(wrong), sum(map(len, contents.values()))


# reading ----------------------------------------------------------------------------------------


def load(path, version, key):
    """Use the programs of a packed file from now on. Raises ValueError if it does not fit."""
    facts, contents = packed_file.read(path, key)
    for name, here in fingerprint(version).items():
        packed = facts["fingerprint"].get(name)
        if packed != here:
            if name == "instruction sets":
                packed, here = _differing(packed or "", here)
            raise rejection("pack-fits", path=str(path), name=name, packed=packed, here=here)
    require(not facts["verdict"]["faults"], "pack-faults", path=str(path))
    programs = dict(list(contents.items())[: facts["programs"]])
    State.programs = programs
    folder.Folder.packed = {n: c for n, c in contents.items() if n not in programs}


def _differing(packed, here):
    """Return the instruction sets that only one of two processors has, a few of each."""
    one, other = set(packed.split()), set(here.split())
    return tuple(" ".join(sorted(s)[:5]) or "none of these" for s in (one - other, other - one))


def loaded(make, trace, alive, dead):
    """Return the packed program of a trace; None if there is none."""
    if State.programs is None or Process.is_forked:
        return None
    if hooks.program is not None or hooks.devices is not None:
        return None
    if verification.MODE == "always" or trace.collective is not None:
        return None
    program = make()
    if isinstance(program.compiled, LimitedProgram):
        return None
    content = State.programs.get(key_of(trace, alive, tuple(program.donated)))
    if content is None:
        return None
    State.used += 1
    return _with(program, trace, alive, content)


def _specs(program, trace):
    return program.specs(trace.inputs, [None] * trace.n_reals, [None] * trace.n_integers)


def _with(program, trace, alive, content):
    """Return a program with the executable of a packed file."""
    if content[: len(_LARGE)] == _LARGE:
        content, program.runs.is_large = content[len(_LARGE) :], True
    content = bytes(content)
    for kernels in (convolution, recurrence):  # which it calls by name
        if kernels.TARGET.encode() in content:
            kernels.register()
    if b"lapack" in content:
        initialize_lapack()
    specs = _specs(program, trace)
    program.compiled = loaded_executable(content, specs, len(alive), default_device())
    program.most = 0  # known when it was packed
    return program
