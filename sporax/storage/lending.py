"""Handles that point to other Values while a derivative is taken by them, in its own thread.

`TapeScope` points its handles to variables of its tape. As long as one thread does so, these are
simply the handles' Values. Where two threads do so with one handle, each has its own: the handle
gets a class whose `_value` is looked up by the thread. No thread waits for another one's
derivative.
"""

import functools
import threading
from threading import get_ident

from sporax.core.environment import Process
from sporax.core.tensor import Tensor

_VALUE = Tensor.__dict__["_value"]
_CLASS = object.__dict__["__class__"]

lock = threading.RLock()  # held while handles are lent, or given back; never while users' code runs
Process.locks.append(lock)
scopes = []  # the open `TapeScope`s of all threads: with a `thread`, and (handle, before, variable)
_own = {}  # (thread, id of a handle) -> the Value that the handle has there


class _PerThread:
    """A Tensor whose Value depends on the thread."""

    __slots__ = ()

    @property
    def _value(self):
        with lock:
            key = get_ident(), id(self)
            return _own[key] if key in _own else _VALUE.__get__(self)

    @_value.setter
    def _value(self, value):
        with lock:
            key = get_ident(), id(self)
            if key in _own:
                _own[key] = value
            else:
                _VALUE.__set__(self, value)


@functools.cache
def _per_thread(kind):
    """The class of handles of a class that several threads have lent."""
    seen = property(lambda self: kind)  # what `isinstance` and copies go by
    return type(kind.__name__, (_PerThread, kind), {"__slots__": (), "__class__": seen})


def is_shared():
    """Whether another thread takes a derivative now."""
    me = get_ident()
    return any([scope.thread != me for scope in scopes])


def separate(handle):
    """Give each other thread that has lent the handle its own Value of it; this thread, and those
    that have not, see the Value of before."""
    me = get_ident()
    with lock:
        for scope in scopes:  # of one thread's the outermost first
            if scope.thread == me or (scope.thread, id(handle)) in _own:
                continue
            for other, before, _ in scope.borrowed:
                if other is handle:
                    _CLASS.__set__(handle, _per_thread(handle.__class__))
                    _own[scope.thread, id(handle)] = _VALUE.__get__(handle)
                    _VALUE.__set__(handle, before)


def lend(handle, variable):
    """Point the handle to a variable, in this thread."""
    with lock:  # else another thread makes it a common handle after the question
        if type(handle) is handle.__class__:
            handle._value = variable
        else:
            _own[get_ident(), id(handle)] = variable


def give_back(scope):
    """Point the handles of a scope to what they pointed to before, unless they were rebound since;
    may be called again, after an interrupt."""
    with lock:
        for handle, before, variable in scope.borrowed:
            if type(handle) is not handle.__class__:
                _give_back_own(scope, handle, before, variable)
            elif handle._value is variable:
                handle._value = before
        if scope in scopes:
            scopes.remove(scope)
        scope.borrowed = []


def _give_back_own(scope, handle, before, variable):
    value, key = handle._value, (scope.thread, id(handle))
    others = [s for s in scopes if s is not scope and s.thread == scope.thread]
    if any(other is handle for s in others for other, _, _ in s.borrowed):
        _own[key] = before if value is variable else value
        return
    if _own.pop(key, variable) is not variable:
        _VALUE.__set__(handle, value)
    if not any(lent == id(handle) for _, lent in _own):
        _CLASS.__set__(handle, handle.__class__)
