"""`Value`, the immutable operand and output of operations, and its abstract value `Aval`."""

import math
import threading
import weakref
from abc import ABC, abstractmethod
from collections import deque
from itertools import repeat
from typing import Any, ClassVar

import numpy as np

from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.diagnosis.rules import rejection


class Aval:
    """Shape and dtype of a value, interned while in use: equal avals are the same object.

    A *weak* aval belongs to a Python number, which takes the dtype of the other operands.
    `differentiable`: whether it has derivatives, as all dtypes but Bool.
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
    def intern(shape, dtype, weak=False):
        key = (shape, dtype, weak)
        reference = Aval._interned.data.get(key)  # bypasses its `get`, a Python function
        aval = reference and reference()
        if aval is None:
            aval = Aval()
            aval.shape, aval.dtype, aval.weak = tuple(shape), np.dtype(dtype), weak
            aval.ndim, aval.size = len(aval.shape), math.prod(aval.shape)
            aval.inexact = aval.dtype.kind in "fcV"  # bfloat16 has kind 'V' in NumPy
            aval.differentiable = aval.inexact or aval.dtype.kind in "iu"
            Aval._interned[key] = aval = Aval._interned.setdefault(
                (aval.shape, aval.dtype, weak), aval
            )
        return aval

    def __repr__(self):
        return f"{self.dtype.name}{list(self.shape)}"


class PendingTrace(ABC):
    """The computation that pending Values wait for: what any thread may read of `Value.trace`.

    `tracer`: the `Tracer` of the function being recorded, if any. `input_index`: contains the ids
    of the arrays that it reads, which must not be donated meanwhile. `is_computed`: True if the
    elements exist, in other arrays.
    """

    __slots__ = ()
    tracer: Any = None
    input_index: Any = ()
    is_computed = False

    @abstractmethod
    def run(self):
        """Compute the pending Values, or wait for another thread that is computing them."""


class Value:
    """An immutable value: a concrete array, or an output of an operation still pending in a trace.

    `array`: the concrete array, None while pending. `trace`: the recorder whose output or input
    `index` it is, or another `PendingTrace`. `tracked`: whether gradients flow through it.
    """

    __slots__ = ("__weakref__", "array", "aval", "index", "trace", "tracked")

    aval: Aval
    array: Any
    trace: Any
    index: int
    tracked: bool
    base: Any = None  # the value whose array this one shares; EXTERNAL: the user holds the array

    def __init__(self, aval, array):
        self.aval = aval
        self.array = array
        self.trace = None
        self.index = 0
        self.tracked = False

    def read(self):
        """Return the concrete array; runs the pending trace if necessary."""
        trace = self.trace  # read first: another thread may be running it
        if self.array is None:
            if trace is not None:
                trace.run()
            if self.array is None:
                raise rejection("kept-past-end")
        return self.array

    def computed(self):
        """Return the array; None while its elements are not computed."""
        if self.array is None and self.trace is not None and self.trace.is_computed:
            self.trace.run()
        return self.array


def set_arrays(values, arrays, is_last):
    """Set the arrays of pending values in one call into C: no interrupt comes between two.
    `is_last`: whether to clear their `trace` too."""
    deque(map(setattr, values, repeat("array"), arrays), 0)
    if is_last:
        deque(map(setattr, values, repeat("trace"), repeat(None)), 0)


class Shared(Value):
    """A value whose array has another holder too: `base` keeps that holder alive, so that the
    array is never donated to a program while this value lives."""

    __slots__ = ("base",)

    def __init__(self, aval, array, base):
        super().__init__(aval, array)
        self.base = base


class Uninitialized(Value):
    """A value that an initializer has not drawn yet: an aval without an array."""

    __slots__ = ("init",)

    def __init__(self, aval, init):
        super().__init__(aval, None)
        self.init = init

    def read(self):
        """Raise RuntimeError. Reading the elements goes through the Tensor, which draws them."""
        raise rejection("only-initializer", "Tensor", shape=self.aval.shape, init=self.init)


class Meta(Value):
    """A value of the device 'meta': an aval without data; operations on it infer only avals."""

    __slots__ = ()

    def __init__(self, aval):
        super().__init__(aval, None)

    def read(self):
        """Raise RuntimeError: there are no elements."""
        raise rejection("meta-no-data", "Tensor", shape=self.aval.shape)


class UnknownShape(Value):
    """The Value of a placeholder for tensors of any size: unknown sizes are -1, without an array.

    `shape`: has None or a `Symbol` for each unknown size; None if the rank is unknown.
    """

    __slots__ = ("dims",)

    def __init__(self, shape, dtype):
        sizes = (-2,) if shape is None else tuple(-1 if is_unknown(n) else n for n in shape)
        super().__init__(Aval.intern(sizes, dtype), None)
        self.dims = shape

    def read(self):
        raise rejection("known-numbers-needed", "Tensor", argument="shape", shape=self.aval.shape)


def is_unknown(size):
    """Return True if a size is unknown: None, or a `Symbol`."""
    return size is None or hasattr(size, "divisor")


EXTERNAL = object()

WEAK_AVALS = {
    bool: Aval.intern((), np.dtype(bool), True),
    int: Aval.intern((), np.dtype(np.int64), True),
    float: Aval.intern((), np.dtype(np.float64), True),
    complex: Aval.intern((), np.dtype(np.complex128), True),
}


def owned_value(array):
    """Return a concrete value that owns `array`, a `jax.Array`."""
    return Value(Aval.intern(array.shape, array.dtype), array)


def shared_value(array):
    """Return a concrete value of an array that user code may hold; it is never donated."""
    return Shared(Aval.intern(array.shape, array.dtype), array, EXTERNAL)


def scalar_value(name, x):
    """Return the value of a Python number passed to `name`: an input of each program that
    uses it."""
    if x.__class__ is int and not -(2**63) <= x < 2**63:
        raise rejection("python-int-at-most-64", name, got=x)
    return Value(WEAK_AVALS[x.__class__], x)


class Changes:
    """Counts changes to Cells (attributes, modes, hooks) and to `requires_grad` of Parameters: a
    captured function checks its guards again after one."""

    count = 0


# checks in programs, oldest first: (Value, function from its array to an error or None); see
# `index_checks.deferred`
deferred = []

# Held while state that has been read is replaced, by a draw or a call of a captured function: two
# threads must not begin from the same state. Never held while user code runs.
updating = threading.RLock()
Process.locks.append(updating)

contexts = {}  # the `Context`s of all threads that use the library -> weakrefs that remove them


class Context:
    """The owner of recordings: a thread, or a signal handler that runs in one.

    `busy`: a lock that the thread holds while it calls JAX, and while it reads and replaces state;
    see `core.interruptions`. `postponed`: the signal handlers that wait for its release.
    `last_busy`: the lock of contexts that begin while Python exits, never released, except in
    threads that Python joins at exit; a set holds the idents of these.
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
        """Leave when an object is freed."""
        contexts[self] = weakref.ref(life, self.leave)

    def leave(self, _=None):
        """Remove this context: its thread or handler has ended."""
        contexts.pop(self, None)


class _Life:
    """An object that is freed when its thread ends."""

    __slots__ = ("__weakref__",)


class ThreadState(threading.local):
    """The state of a thread: the trace being recorded and the tape, if any.

    `recorder_class`: of this thread's recorders; None for `hooks.recorder`. `watch`: the state of
    anomaly detection, if on. `gates`: the conditions (Value, its truth) on which the code being
    recorded depends, see `index_checks.checks`.
    """

    recorder_class: Any = None
    recorder: Any
    tape: Any
    saving: Any = None  # the hooks that pack tensors saved for the backward pass, if any
    watch: Any = None
    calls_fallback: bool = True  # whether operations call `__fallback__` of Tensors that have it
    precision: Any = None  # the autocast policy in effect, if any
    in_graph: bool = False  # whether a function is captured, or continues dynamically in this run
    gates: tuple = ()

    def __init__(self):
        self.context, self.life = Context(), _Life()
        self.context.leave_with(self.life)
        self.recorder = None if hooks.recorder is None else self.new_recorder()
        self.tape = None
        hooks.new_context()

    def new_recorder(self):
        """Return a new recorder."""
        return (self.recorder_class or hooks.recorder)()


thread = ThreadState()


class _Contexts:
    """Removes all contexts after `os.fork` except the forking thread's."""

    @staticmethod
    def _at_fork_reinit():
        for context in list(contexts):
            if context is not thread.context:
                context.leave()


Process.locks.append(_Contexts)
