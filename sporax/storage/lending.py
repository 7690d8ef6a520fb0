"""Handles that point to Values of a recording, in its own thread.

While a derivative is taken, its handles point to variables of the tape; while a function is
captured or recorded for `vmap`, to inputs of what is recorded, and to what the function writes. A
`Scope` lends them. As long as one thread alone uses the library, these Values are simply the
handles'. Where others do, or a signal handler comes, a handle that is lent gets a class whose
`_value` is looked up by the thread: each has its own, and all others see the Value of before. No
thread waits for another one's recording, or sees it.
"""

import functools
import threading
from typing import Any

from sporax.core.environment import Process
from sporax.core.interruptions import uninterrupted
from sporax.core.signal_handlers import wrap_handlers
from sporax.core.tensor import Tensor
from sporax.core.value import ThreadState, contexts, thread

_VALUE = Tensor.__dict__["_value"]
_CLASS = object.__dict__["__class__"]

lock = threading.RLock()  # held while handles are lent, or given back; never while users' code runs
Process.locks.append(lock)
scopes = []  # the open `Scope`s of all threads, of one thread's the outermost first
_own = {}  # id of a handle -> {context: the Value that the handle has there}


class _PerThread:
    """A Tensor whose Value depends on the thread."""

    __slots__ = ()

    @property
    def _value(self):
        context = thread.context
        common = _VALUE.__get__(self)  # first: it changes after this thread has its own
        return _own.get(id(self), {}).get(context, common)

    @_value.setter
    @uninterrupted
    def _value(self, value):
        with lock:
            own = _own.get(id(self), {})
            if thread.context in own:
                own[thread.context] = value
            else:
                _VALUE.__set__(self, value)


@functools.cache
def _per_thread(kind):
    """The class of handles of a class that are lent while several threads use the library."""
    seen = property(lambda self: kind)  # what `isinstance` and copies go by
    return type(kind.__name__, (_PerThread, kind), {"__slots__": (), "__class__": seen})


class Scope:
    """What points handles to other Values, in the thread that opened it, until it gives them back.

    `lent`: {id(handle): (handle, its Value before, the scope's own at first)}.
    """

    context: Any = None  # while it is open

    def __init__(self):
        self.lent = {}

    def begin_lending(self):
        """Begin to lend, in this thread."""
        self.context, self.lent = thread.context, {}
        scopes.append(self)

    def lend(self, handle, value):
        """Point a handle to `value`; to be called once for each."""
        key = id(handle)
        if len(contexts) == 1:
            # no signal comes, and no thread goes on, between these instructions
            self.lent[key] = handle, handle._value, value
            handle._value = value
        else:
            self._lend_apart(handle, value)

    @uninterrupted
    def _lend_apart(self, handle, value):
        with lock:
            before = handle._value
            _own_values(handle)[self.context] = value
            self.lent[id(handle)] = handle, before, value

    def give_back(self, undo=False):
        """Point the handles to what they pointed to before, and close. With `undo` all of them,
        else those that were not rebound since. May be called again, after an interrupt."""
        if self.lent:
            self._point_back(undo)
        if self in scopes:
            scopes.remove(self)
        self.context = None

    @uninterrupted
    def _point_back(self, undo):
        with lock:
            for handle, before, value in self.lent.values():
                now = handle._value
                new = before if undo or now is value else now
                if _is_per_thread(handle):
                    self._give_back_own(handle, before, new)
                elif new is not now:
                    handle._value = new
            self.lent = {}

    def _give_back_own(self, handle, before, new):
        own = _own.get(id(handle), {})
        if len(_lenders(handle, self.context)) > 1 or self.context not in own:
            handle._value = new
        else:
            if new is not before:
                _VALUE.__set__(handle, new)
            del own[self.context]
        if not own:
            _own.pop(id(handle), None)
            _CLASS.__set__(handle, handle.__class__)


def _lenders(handle, context):
    """The scopes of a context that have lent the handle, the outermost first."""
    return [s for s in scopes if s.context is context and id(handle) in s.lent]


def _is_per_thread(handle):
    return type(handle) is not handle.__class__


def _own_values(handle):
    """{context: the handle's Value there}, to be added to."""
    if not _is_per_thread(handle):
        _CLASS.__set__(handle, _per_thread(handle.__class__))
    return _own.setdefault(id(handle), {})


@uninterrupted
def _separate():
    """Give the threads that have lent handles, when there was no other one, Values of their own;
    called in each new thread, and at the beginning of each signal handler."""
    with lock:
        for scope in scopes[:]:
            for handle, _, _ in list(scope.lent.values()):
                own = _own_values(handle)  # from here on, its thread waits to write
                if scope.context not in own:
                    own[scope.context] = _VALUE.__get__(handle)
                    first = _lenders(handle, scope.context)[0]
                    _VALUE.__set__(handle, first.lent[id(handle)][1])


def is_visible(handle):
    """Whether the handle's Value is none of another thread's recording."""
    trace = handle._value.trace
    tracer = None if trace is None else trace.tracer
    return tracer is None or tracer.outer is None or tracer.context is thread.context


ThreadState.when_new = staticmethod(_separate)
wrap_handlers(_separate)
