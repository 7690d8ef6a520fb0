"""What every operation computes on: an immutable `Value` and its abstract value `Aval`."""

import math
import threading
import weakref
from abc import ABC, abstractmethod
from collections import deque
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from sporax.core.environment import Process


class Aval:
    """Shape and dtype of a value, interned while it is in use: equal avals are the same object.

    A *weak* aval belongs to a Python number, which takes the dtype of what it meets.
    `differentiable`: there are derivatives with respect to it, as for all dtypes but Bool.
    """

    __slots__ = (
        "__weakref__", "differentiable", "dtype", "inexact", "ndim", "shape", "size", "weak",
    )  # fmt: skip
    _interned: ClassVar[Any] = weakref.WeakValueDictionary()

    shape: tuple[int, ...]
    dtype: np.dtype
    weak: bool
    inexact: bool
    differentiable: bool
    ndim: int
    size: int

    @staticmethod
    def of(shape, dtype, weak=False):
        key = (shape, dtype, weak)
        found = Aval._interned.data.get(key)  # without its `get`, a Python function
        aval = found and found()
        if aval is None:
            aval = Aval()
            aval.shape, aval.dtype, aval.weak = tuple(shape), np.dtype(dtype), weak
            aval.ndim, aval.size = len(aval.shape), math.prod(aval.shape)
            aval.inexact = aval.dtype.kind in "fcV"  # bfloat16 is of kind 'V' in NumPy's eyes
            aval.differentiable = aval.inexact or aval.dtype.kind in "iu"
            Aval._interned[key] = aval = Aval._interned.setdefault(
                (aval.shape, aval.dtype, weak), aval
            )
        return aval

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}"


_LEAKED = (
    "This Tensor was made inside a captured function (jit) and kept past its end, where it has no "
    "numbers. Return it from the function, or put it into a Parameter with 'set_data' or 'assign'."
)


class PendingTrace(ABC):
    """What pending Values wait for; all that may be read of `Value.trace` in any thread.

    `tracer`: that of the function being recorded, if it is one. `input_index`: contains the ids of
    the arrays that it reads, which must not be donated meanwhile.
    """

    __slots__ = ()
    tracer: Any = None
    input_index: Any = ()

    @abstractmethod
    def run(self):
        """Compute the pending Values; wait, where another thread does so already."""


class Value:
    """An immutable value: a concrete array, or an output of an operation still pending in a trace.

    `array`: the concrete array, None while pending. `trace`: the recorder that has the value as
    its output or input `index`, or another `PendingTrace`. `tracked`: derivatives go through it.
    """

    __slots__ = ("__weakref__", "array", "aval", "index", "trace", "tracked")

    aval: Aval
    array: Any
    trace: Any
    index: int
    tracked: bool
    base: Any = None  # the value whose array this one shares; EXTERNAL: an array the user has

    def __init__(self, aval, array):
        self.aval = aval
        self.array = array
        self.trace = None
        self.index = 0
        self.tracked = False

    def read(self):
        """The concrete array; runs the pending trace if there is need."""
        trace = self.trace  # looked at first: another thread may be running it
        if self.array is None:
            if trace is not None:
                trace.run()
            if self.array is None:
                raise RuntimeError(_LEAKED)
        return self.array


def set_arrays(values, arrays, is_last):
    """Give pending values their arrays, all in one call into C: no interrupt comes between two.
    `is_last`: whether they are waited for by nothing then."""
    deque(map(setattr, values, repeat("array"), arrays), 0)
    if is_last:
        deque(map(setattr, values, repeat("trace"), repeat(None)), 0)


class Shared(Value):
    """A value whose array somebody else holds too: `base` keeps that one alive, so that the
    array is never given away (donated) to a program while this value lives."""

    __slots__ = ("base",)

    def __init__(self, aval, array, base):
        super().__init__(aval, array)
        self.base = base


_UNINITIALIZED = (
    "For 'Tensor', the numbers must be there before it is computed with, but this one of shape {} "
    "only has an initializer ({}). Call its 'init_data()' first, or make a Parameter of it."
)


class Uninitialized(Value):
    """A value that an initializer has not drawn yet: an aval, and nothing to compute with."""

    __slots__ = ("init",)

    def __init__(self, aval, init):
        super().__init__(aval, None)
        self.init = init

    def read(self):
        """Refuses: who only wants to look at the numbers asks the Tensor, which draws them."""
        raise RuntimeError(_UNINITIALIZED.format(self.aval.shape, type(self.init).__name__))


class UnknownShape(Value):
    """What a tensor has that stands for tensors of any size: -1 for an unknown one, no numbers.

    `shape`: with None or a `Symbol` for each unknown size; None if even how many there are is
    unknown.
    """

    __slots__ = ("dims",)

    def __init__(self, shape, dtype):
        sizes = (-2,) if shape is None else tuple(-1 if is_unknown(n) else n for n in shape)
        super().__init__(Aval.of(sizes, dtype), None)
        self.dims = shape

    def read(self):
        raise ValueError(
            f"For 'Tensor', 'shape' must be known where numbers are needed, but it is "
            f"{self.aval.shape}. Such a Tensor only describes inputs, for 'Cell.set_inputs'."
        )


def is_unknown(size):
    """Whether a size is unknown: None, or a `Symbol`."""
    return size is None or hasattr(size, "divisor")


EXTERNAL = object()

WEAK_AVALS = {
    bool: Aval.of((), np.dtype(bool), True),
    int: Aval.of((), np.dtype(np.int64), True),
    float: Aval.of((), np.dtype(np.float64), True),
    complex: Aval.of((), np.dtype(np.complex128), True),
}


def owned_value(array):
    """A concrete value that owns `array`, a `jax.Array`."""
    return Value(Aval.of(array.shape, array.dtype), array)


def shared_value(array):
    """A concrete value of an array that somebody outside can see; it is never donated."""
    return Shared(Aval.of(array.shape, array.dtype), array, EXTERNAL)


def scalar_value(name, x):
    """The value of a Python number given to `name`: no array yet, an input of each program that
    uses it."""
    if x.__class__ is int and not -(2**63) <= x < 2**63:
        raise OverflowError(
            f"For '{name}', a Python int must have at most 64 bits, but got {x!r:.80}. Make it a "
            "float."
        )
    return Value(WEAK_AVALS[x.__class__], x)


class Changes:
    """Counts changes to Cells (attributes, modes, hooks) and to what Parameters require; a captured
    function is looked at again after one."""

    count = 0


# (Value, function that returns an error or None for its array) of checks in programs, oldest first;
# see `index_checks.deferred`
deferred = []

# Held while state that has been read is replaced, by a draw or a call of a captured function: two
# threads must not begin from the same state. Never held while a user's code runs.
updating = threading.RLock()
Process.locks.append(updating)

contexts = {}  # the `Context`s of all threads that use the library -> what removes them


class Context:
    """The owner of recordings: a thread, or a signal handler that runs in one.

    `busy`: a lock that the thread holds while JAX works for it, and while state is read and
    replaced; see `core.interruptions`. `postponed`: the signal handlers that wait for that to end.
    `last_busy`: the lock of all that begin while Python ends, which is never free; but those of the
    threads `awaited` (their idents), for whose end Python waits.
    """

    __slots__ = ("busy", "postponed", "thread")

    busy: Any
    last_busy: ClassVar[Any] = None
    awaited: ClassVar[set] = set()

    def __init__(self, busy=None):
        self.thread = threading.get_ident()
        is_last = self.last_busy is not None and self.thread not in self.awaited
        self.busy = busy or (self.last_busy if is_last else threading.RLock())
        self.postponed = []
        contexts[self] = None

    def leave_with(self, life):
        """Count as long as an object lives."""
        contexts[self] = weakref.ref(life, self.leave)

    def leave(self, _=None):
        """No longer count: the thread or the handler has ended."""
        contexts.pop(self, None)


class _Life:
    """What goes with a thread."""

    __slots__ = ("__weakref__",)


class ThreadState(threading.local):
    """What is going on in this thread: the trace being recorded and the tape, if any.

    The engine says how a recorder is made (`new_recorder`); `core` need not know. `watch`: what
    is known of anomalies, in that mode. `gates`: the conditions, (Value, its truth), under which
    code is reached that is recorded now, see `index_checks.checks`. `when_new`: called in each
    thread before it uses the library.
    """

    new_recorder: Any = None
    when_new: Any = None
    recorder: Any
    tape: Any
    saving: Any = None  # the hooks that pack what derivatives need, if any
    watch: Any = None
    precision: Any = None  # what operations compute in now, where a Cell says so
    in_graph: bool = False  # whether a function is captured, or goes on dynamically for this run
    gates: tuple = ()

    def __init__(self):
        self.context, self.life = Context(), _Life()
        self.context.leave_with(self.life)
        self.recorder = None if self.new_recorder is None else self.new_recorder()
        self.tape = None
        if self.when_new is not None:
            self.when_new()


thread = ThreadState()


class _Contexts:
    """After `os.fork` the only context is that of the thread which has forked."""

    @staticmethod
    def _at_fork_reinit():
        for context in list(contexts):
            if context is not thread.context:
                context.leave()


Process.locks.append(_Contexts)
