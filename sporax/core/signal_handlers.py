"""Signal handlers in the midst of the library's work.

A handler of a signal runs between two instructions of the main thread. To the library it is another
thread: it has a recorder of its own, no tape, and sees the Values that handles have for others. In
a function that is `uninterrupted` a handler waits for the end of it. Since nothing tells a function
that it runs in a handler, the handlers themselves are wrapped, where they are set.
"""

import _signal  # pyright: ignore[reportMissingImports]
import functools
import signal
import threading
from typing import Any

from sporax.core.jax_internals import eval_context
from sporax.core.value import Context, thread


class Handler:
    """A signal handler that runs as a thread of its own."""

    when_begun: Any = None  # called at the beginning of each

    def __init__(self, function):
        self.function = function

    def __call__(self, number, frame):
        interrupted = thread.context
        if interrupted.busy._is_owned():
            interrupted.postponed.append((self, number, frame))
            return
        state, context = vars(thread), Context(interrupted.busy)
        before, restore = state.copy(), state.update
        try:
            restore(_FRESH, context=context)
            thread.recorder = thread.new_recorder()
            self.when_begun()
            with eval_context():  # JAX may be tracing something
                self.function(number, frame)
                thread.recorder.run()  # what is left of its trace claims no arrays
        except BaseException as error:
            error.is_of_handler = True  # pyright: ignore[reportAttributeAccessIssue]
            raise
        finally:
            restore(before)
            context.leave()


def is_of_handler(error):
    """Whether a signal handler has raised the error: it says nothing of the code that it ends."""
    return getattr(error, "is_of_handler", False)


# what of the thread's state is not the handler's
_FRESH = {
    "recorder": None, "tape": None, "saving": None, "watch": None, "precision": None, "gates": (),
    "in_graph": False,
}  # fmt: skip
_set_handler, _get_handler = _signal.signal, _signal.getsignal


def _wrapped(handler):
    """The handler to set in place of one; the same where it only raises, or is no function."""
    is_plain = handler is signal.default_int_handler or isinstance(handler, Handler)
    return handler if is_plain or not callable(handler) else Handler(handler)


def _unwrapped(handler):
    return handler.function if isinstance(handler, Handler) else handler


@functools.wraps(_set_handler)
def _set_wrapped(number, handler, /):
    return _unwrapped(_set_handler(number, _wrapped(handler)))


@functools.wraps(_get_handler)
def _get_unwrapped(number, /):
    return _unwrapped(_get_handler(number))


def wrap_handlers(when_begun):
    """Wrap the handlers of signals, those that are set and those to come; `when_begun()` is called
    at the beginning of each. `signal.getsignal` gives them as they were. `signal.signal` and
    `getsignal` call what is replaced here, also where a script has imported them before."""
    Handler.when_begun = staticmethod(when_begun)
    _signal.signal, _signal.getsignal = _set_wrapped, _get_unwrapped
    if threading.current_thread() is threading.main_thread():  # others cannot set any
        for number in signal.valid_signals():
            handler = _get_handler(number)
            if _wrapped(handler) is not handler:
                _set_handler(number, _wrapped(handler))
