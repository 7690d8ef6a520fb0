"""Memory that a program frees stays in the process, for the next program.

XLA asks the C library for all temporary arrays of a program at once, at each run. glibc takes what
is larger than 32 MB from the kernel and gives it back afterwards, so that each run meets fresh
pages: the kernel clears 4 KB and enters it in a table, 0.5 ms a megabyte, more than the program's
own work on it. With these settings such memory comes from the heap, which does not shrink: a
training step of MobileNetV2 takes half the time. `release` gives what is free back.

Compiling, and the interpreter before it, leave the heap larger than the program needs, and in
pieces that large arrays do not fit into. So what is free is given back after a compilation, as far
as the faults that follow cost little beside it, and once more where a large program has settled.

JAX starts a program in a thread of its own, which announces the results before it frees the
temporary arrays, and the next program would take as much again beside them. So a large program
starts when its inputs are there, after a pause in which that thread goes on: until no more is in
use than before the run before, 5 ms at most.
"""

import functools
import math
import time

import jax

from sporax.core import heap
from sporax.core.environment import choice
from sporax.core.heap import library, pages, release, usage
from sporax.core.jax_internals import dce_jaxpr
from sporax.core.units import bytes_text
from sporax.xla_kernels.rewrite import parts

_COMPILED = "/jax/core/compile/backend_compile_duration"  # or loaded from the compilation cache
_FAULTS = 0.5e-9  # seconds a byte that is given back and used again
_SHARE = 0.5  # of the time of compilations, for faults
_LARGE = 2**27  # bytes of all results of a program's operations together
_PAUSE, _PAUSES = 1e-4, 50  # seconds; at most so many
_MUCH = 2**24  # bytes
_STORED = ("sort", "scatter")  # what the names of operations begin with that XLA never fuses


@functools.cache
def _keeps():
    return choice("SPORAX_KEEP_MEMORY", "on", "off") == "on" and library() is not None


def keep_freed():
    """Keep it from now on; not with SPORAX_KEEP_MEMORY=off. A setting of glibc's that the
    environment has stays as it is."""
    if _keeps():
        heap.keep_freed(True)
        jax.monitoring.register_event_duration_secs_listener(ReleaseAfterCompilation())


class ReleaseAfterCompilation:
    """A listener of JAX's: gives free memory back after a compilation.

    `seconds`: a share of those compiled since the last release, less what its faults take; the next
    one follows when this is above 0.
    """

    def __init__(self):
        self.seconds = 0.0

    def __call__(self, event, seconds, **_):
        if event != _COMPILED:
            return
        self.seconds += _SHARE * seconds
        if self.seconds > 0:
            before = pages()[1]
            release()
            self.seconds = -_FAULTS * max(before - pages()[1], 0)


class Runs:
    """The runs of one program on a CPU. `most`: the bytes of memory of a program that may need more
    than these; None of others."""

    is_large, releases, in_use = False, 2, 0

    def __init__(self, most=None):
        self.most = most

    def measure(self, jaxpr):
        """See whether the program is large, from its `ClosedJaxpr`. Raises MemoryError if it cannot
        run: XLA of jaxlib 0.12 divides by zero where it compiles a scatter of 2**36 elements."""
        self.is_large = _keeps() and bytes_of_results(jaxpr) > _LARGE
        if self.most is not None and (stored := bytes_stored(jaxpr.jaxpr)) > self.most:
            raise MemoryError(f"{bytes_text(stored)} were asked for")

    def prepare(self, inputs):
        """Called before each run of a large program, once it is traced."""
        jax.block_until_ready(inputs)
        for _ in range(_PAUSES):
            time.sleep(_PAUSE)
            in_use = usage()[0]
            if in_use < self.in_use + _MUCH:
                break
        self.in_use = in_use
        if self.releases:  # after its first runs the heap keeps its shape
            self.releases -= 1
            release()


def bytes_of_results(jaxpr):
    """Bytes of the results of all operations of a `Jaxpr` or `ClosedJaxpr`, in whatever depth."""
    eqns = getattr(jaxpr, "jaxpr", jaxpr).eqns
    return sum(_bytes(eqn) + sum(map(bytes_of_results, parts(eqn))) for eqn in eqns)


def _bytes(eqn):
    sizes = (math.prod(v.aval.shape) * v.aval.dtype.itemsize for v in eqn.outvars if _is_array(v))
    return sum(sizes)


def bytes_stored(jaxpr):
    """Bytes of the largest results that XLA surely stores: those of a sort or a scatter."""
    needed, _ = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    return max(
        (
            _bytes(eqn) if eqn.primitive.name.startswith(_STORED) else
            max((bytes_stored(getattr(part, "jaxpr", part)) for part in parts(eqn)), default=0)
            for eqn in needed.eqns
        ),
        default=0,
    )  # fmt: skip


def _is_array(var):
    return hasattr(var.aval, "shape")  # a token, that orders calls on the host, has none
