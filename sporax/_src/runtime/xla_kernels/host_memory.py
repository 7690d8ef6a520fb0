"""Memory that a program frees is kept in the process for the next program.

XLA allocates all temporary arrays of a program at once, at each run. glibc maps blocks larger than
32 MB from the kernel and unmaps them afterwards, so that each run page-faults on fresh pages: the
kernel clears and maps 4 KB at a time, 0.5 ms per megabyte, more than the program's computation on
it. With these settings such memory comes from the heap, which does not shrink: a training step of
MobileNetV2 takes half the time. `release` returns free memory to the kernel.

Compilation, and the interpreter before it, leave the heap larger than the program needs, and too
fragmented for large arrays. So free memory is released after a compilation, as long as the page
faults that follow cost little relative to it, and again once a large program has settled. Later
the allocator still places a program's temporary arrays at other addresses now and then, on pages
that were not resident: a step of ResNet-18 that needs 272 MB held 590 MB after a hundred runs. So
the memory is released whenever more of it is free than after the first runs, as long as that costs
a hundredth of the time.

JAX runs a program in a separate thread, which reports the results before it frees the temporary
arrays; the next program would allocate the same amount in addition. So a large program starts when
its inputs are ready, after a pause for that thread: until no more memory is in use than before the
previous run, 5 ms at most. glibc counts the memory in use block by block, which takes 6 ms once a
GPT is compiled, so most runs only pause then.
"""

import functools
import time

import jax

from sporax._src.core import heap
from sporax._src.core.environment import choice
from sporax._src.core.heap import library, pages, release, usage
from sporax._src.core.jax_internals import dce_jaxpr, equations, jaxprs_in
from sporax._src.core.units import bytes_text
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.memory.liveness import bytes_of

_COMPILED = "/jax/core/compile/backend_compile_duration"  # or loaded from the compilation cache
_FAULTS = 0.5e-9  # seconds per byte that is released and used again
_SHARE = 0.5  # of the compilation time, spent on page faults
_LARGE = 2**27  # total bytes of the results of a program's operations
_LATER_SHARE = 0.01  # of the time of a program's runs, spent on page faults
_PAUSE, _PAUSES = 1e-4, 50  # seconds of a pause; maximum number of pauses
_UNCOUNTED = 5e-4  # seconds of the pause of a run that does not count the memory in use
_MUCH = 2**24  # bytes
_MORE = 1.25  # times the free memory that one run leaves
_STORED = ("sort", "scatter")  # name prefixes of operations that XLA never fuses


@functools.cache
def _keeps():
    return choice("SPORAX_KEEP_MEMORY", "on", "off") == "on" and library() is not None


def keep_freed():
    """Keep freed memory from now on, unless SPORAX_KEEP_MEMORY=off. A glibc setting in the
    environment is left unchanged."""
    if _keeps():
        heap.keep_freed(True)
        jax.monitoring.register_event_duration_secs_listener(ReleaseAfterCompilation())


class ReleaseAfterCompilation:
    """A JAX monitoring listener that releases free memory after a compilation.

    `seconds`: a share of the compilation time since the last release, minus the cost of that
    release's page faults; the next release follows when it is above 0.
    """

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, event: str, duration_secs: float, **_) -> None:
        if event != _COMPILED:
            return
        self.seconds += _SHARE * duration_secs
        if self.seconds > 0:
            before = pages()[1]
            release()
            self.seconds = -_FAULTS * max(before - pages()[1], 0)


class Runs:
    """The runs of one program on a CPU. `most`: the memory limit in bytes for a program that may
    exceed it; None: no check. `skips`: the next runs that do not count the memory in use. `kept`:
    free resident bytes that one run leaves; 0: not measured since the last release. `seconds`: that
    may be spent on page faults, as of `updated`."""

    is_large, releases, in_use, skips = False, 2, 0, 0
    kept, seconds, updated = 0, 0.0, 0.0

    def __init__(self, most=None):
        self.most = most

    def measure(self, jaxpr):
        """Set `is_large` from the program's `ClosedJaxpr`. Raise MemoryError if it cannot run: XLA
        of jaxlib 0.12 divides by zero when it compiles a scatter of 2**36 elements."""
        self.is_large = _keeps() and bytes_of_results(jaxpr) > _LARGE
        if self.most is not None and (stored := bytes_stored(jaxpr.jaxpr)) > self.most:
            raise rejection("were-asked", size=bytes_text(stored))

    def prepare(self, inputs):
        """Prepare a run of a large program; called before each run once it is traced."""
        jax.block_until_ready(inputs)
        if self.skips:
            self.skips -= 1
            time.sleep(_UNCOUNTED)
            return
        for _ in range(_PAUSES):
            time.sleep(_PAUSE)
            began = time.perf_counter()
            in_use = usage()[0]
            seconds = time.perf_counter() - began
            if in_use < self.in_use + _MUCH:
                break
        self.in_use = in_use
        if self.releases:  # after the first runs, the heap is stable
            self.releases -= 1
            release()
        else:
            self.release_rest(pages()[1] - in_use)
            self.skips = int(seconds / _UNCOUNTED)

    def release_rest(self, free):
        """Release free memory if there is more than one run leaves; `free`: its resident bytes."""
        before, self.updated = self.updated, time.perf_counter()
        if before:
            self.seconds += _LATER_SHARE * (self.updated - before)
        cost = _FAULTS * self.kept
        if not self.kept:
            self.kept = free
        elif free > _MORE * self.kept + _MUCH and self.seconds > cost:
            self.seconds, self.kept = self.seconds - cost, 0
            release()


def bytes_of_results(jaxpr):
    """Return the bytes of all operations' results in a `Jaxpr` or `ClosedJaxpr`, at any depth."""
    return sum(map(_bytes, equations(getattr(jaxpr, "jaxpr", jaxpr))))


def _bytes(eqn):
    return sum(bytes_of(v.aval) for v in eqn.outvars)


def bytes_stored(jaxpr):
    """Return the bytes of the largest results that XLA always stores: of a sort or a scatter."""
    needed, _ = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    return max(
        (
            _bytes(eqn) if eqn.primitive.name.startswith(_STORED) else
            max(map(bytes_stored, jaxprs_in(eqn.params)), default=0)
            for eqn in needed.eqns
        ),
        default=0,
    )  # fmt: skip
