"""`MsDispatchMode`: a user method replaces each operation."""

import contextlib
import functools
import threading

from sporax._src.core.tensor import Tensor
from sporax._src.core.value import Value, thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.autocast import Policy, computing_in
from sporax._src.runtime.engine.recorder import apply, wrap


class _Modes(threading.local):
    """The active modes of a thread, the innermost last; inactive while a mode's method runs."""

    def __init__(self):
        self.stack, self.scopes, self.is_running = [], [], False


_modes = _Modes()


class OpFunc:
    """An operation, as passed to `__ms_dispatch__`: `func(*args)` computes it."""

    def __init__(self, op):
        self._op = op

    @property
    def name(self):
        """Name of the operation."""
        return self._op.name

    @property
    def attributes(self):
        """Non-Tensor arguments of the operation, such as an axis, as a dict."""
        return dict(self._op.attributes)

    def __call__(self, *args):
        return apply(self._op, *args)

    def __repr__(self):
        return f"<OpFunc {self.name}>"


class _Dispatch(Policy):
    """Intercepts every operation and passes it to the innermost mode. `inner`: the Precision that
    operations compute in, or None."""

    def __init__(self, inner):
        self.inner = inner

    def refuses(self, op, avals):
        return op.mark is None

    def splits(self, op):
        return True

    def around(self, inside):
        return inside if _modes.is_running else _dispatch(inside)

    def in_parts(self, op, operands, do):
        mode = _modes.stack[-1]
        args = tuple(wrap(x) if isinstance(x, Value) else x for x in operands)
        _modes.is_running = True
        try:
            with contextlib.closing(computing_in(self.inner)) as block, block:
                out = mode.__ms_dispatch__(OpFunc(op), args)
        finally:
            _modes.is_running = False
        several = isinstance(out, (tuple, list))
        for one in out if several else [out]:
            if not isinstance(one, Tensor):
                who = type(mode).__name__
                raise rejection("returns-as-operation", who, __ms_dispatch__=one, name=op.name)
        if do is apply:
            return tuple(out) if several else out
        return tuple(one._value for one in out) if several else out._value


@functools.cache
def _dispatch(inner):
    return inner if isinstance(inner, _Dispatch) else _Dispatch(inner)


class MsDispatchMode(contextlib.ContextDecorator):
    """A context in which each operation calls `__ms_dispatch__` of the innermost mode instead.

    Subclasses define `__ms_dispatch__(self, func, args, kwargs=None)`, which returns the
    operation's result: `func(*args)` computes it, `func.name` is its name. Operations inside the
    method are not dispatched again. Captured functions run eagerly in the context. A mode is also a
    decorator.

    >>> class Log(ms.MsDispatchMode):
    ...     def __ms_dispatch__(self, func, args, kwargs=None):
    ...         print(func.name)
    ...         return func(*args)
    >>> with Log():
    ...     y = Tensor([1.0]) + Tensor([2.0])
    Add
    """

    def __ms_dispatch__(self, func, args, kwargs=None):
        return func(*args)

    def __enter__(self):
        scope = computing_in(_dispatch(thread.precision))
        scope.__enter__()
        _modes.stack.append(self)
        _modes.scopes.append(scope)
        return self

    def __exit__(self, *error):
        _modes.stack.pop()
        return bool(_modes.scopes.pop().__exit__(*error))
