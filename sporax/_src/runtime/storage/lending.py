"""Handles that point to Values of a recording, only in the recording thread.

During differentiation, handles point to variables of the tape; during a capture or a recording for
`vmap`, to inputs of the recording, and to the Values that the function writes. A `Scope` lends
them. While a single thread uses the library, these Values are set on the handles directly. With
several threads, or in a signal handler, a lent handle gets a class whose `_value` is looked up per
thread: a recording thread sees its own Value, all others see the previous one. No thread waits for
or sees the recording of another thread.
"""

import functools
import threading
from typing import Any

from sporax._src.core.environment import Process
from sporax._src.core.hooks import hooks
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.signal_handlers import wrap_handlers
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import contexts, thread

_VALUE = Tensor.__dict__["_value"]
_CLASS = object.__dict__["__class__"]

lock = threading.RLock()  # held while handles are lent or given back; never during user code
Process.locks.append(lock)
scopes = []  # open `Scope`s of all threads; within a thread, the outermost first
_own = {}  # id of a handle -> {context: the handle's Value there}


class _PerThread:
    """A Tensor whose Value depends on the thread."""

    __slots__ = ()

    @property
    def _value(self):
        context = thread.context
        common = _VALUE.__get__(self)  # read first: it changes after this thread gets its own
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

    _operand = _value


@functools.cache
def _per_thread(kind):
    """Return the subclass of `kind` for lent handles while several threads use the library."""
    seen = property(lambda self: kind)  # for `isinstance` and copies
    return type(kind.__name__, (_PerThread, kind), {"__slots__": (), "__class__": seen})


class Scope:
    """Points handles to other Values, in the thread that opened it, until it gives them back.

    `lent`: {id(handle): (handle, its previous Value, its initial Value in the scope)}.
    """

    context: Any = None  # the thread's, while the scope is open

    def __init__(self):
        self.lent = {}

    def begin_lending(self):
        """Open the scope in this thread."""
        self.context, self.lent = thread.context, {}
        scopes.append(self)

    def lend(self, handle, value):
        """Point a handle to `value`; call it once per handle."""
        key = id(handle)
        if len(contexts) == 1:
            # no signal handler or other thread runs between these instructions
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
        """Restore the previous Values of the handles, and close. With `undo` restore all handles,
        else only the handles not rebound since. May be called again after an interrupt."""
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
    """Return the scopes of a context that have lent the handle, the outermost first."""
    return [s for s in scopes if s.context is context and id(handle) in s.lent]


def _is_per_thread(handle):
    return type(handle) is not handle.__class__


def _own_values(handle):
    """Return the mutable {context: Value} of a handle, which becomes per-thread."""
    if not _is_per_thread(handle):
        _CLASS.__set__(handle, _per_thread(handle.__class__))
    return _own.setdefault(id(handle), {})


@uninterrupted
def _separate():
    """Make the Values of handles that were lent while there was a single thread per-thread; called
    in each new thread, and at the beginning of each signal handler."""
    with lock:
        for scope in scopes[:]:
            for handle, _, _ in list(scope.lent.values()):
                own = _own_values(handle)  # from now on, writes of its thread wait for the lock
                if scope.context not in own:
                    own[scope.context] = _VALUE.__get__(handle)
                    first = _lenders(handle, scope.context)[0]
                    _VALUE.__set__(handle, first.lent[id(handle)][1])


def is_visible(handle):
    """Return True unless the handle's Value belongs to another thread's recording."""
    trace = handle._value.trace
    tracer = None if trace is None else trace.tracer
    return tracer is None or tracer.outer is None or tracer.context is thread.context


hooks.new_context = _separate
wrap_handlers()
