"""Signal handlers that interrupt the library.

A signal handler runs between two instructions of the main thread. The library treats it as another
thread: it has its own recorder, no tape, and sees the Values of handles as other threads do. During
an `uninterrupted` function a handler is postponed. A function cannot detect that it runs in a
handler, so the handlers themselves are wrapped when they are set.
"""

import _signal  # pyright: ignore[reportMissingImports]
import functools
import signal
import threading

from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import eval_context
from sporax._src.core.value import Context, thread


class Handler:
    """A signal handler that the library treats as a separate thread."""

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
            hooks.new_context()
            with eval_context():  # JAX may be tracing something
                self.function(number, frame)
                thread.recorder.run()  # so that its trace claims no arrays
        except BaseException as error:
            error.is_of_handler = True  # pyright: ignore[reportAttributeAccessIssue]
            raise
        finally:
            restore(before)
            context.leave()


def is_of_handler(error):
    """Return True if a signal handler raised the error, not the code that it interrupted."""
    return getattr(error, "is_of_handler", False)


# thread state that a handler does not share
_FRESH = {
    "recorder": None, "recorder_class": None, "tape": None, "saving": None, "watch": None,
    "precision": None, "gates": (), "in_graph": False,
}  # fmt: skip
_set_handler, _get_handler = _signal.signal, _signal.getsignal


def _wrapped(handler):
    """Return the wrapped handler; the same one if it only raises, or is not callable."""
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


def wrap_handlers():
    """Wrap the signal handlers that are set now or later. `signal.getsignal` returns the originals.
    `signal.signal` and `getsignal` call the functions replaced here, even if a script imported them
    before."""
    _signal.signal, _signal.getsignal = _set_wrapped, _get_unwrapped
    if threading.current_thread() is threading.main_thread():  # other threads cannot set handlers
        for number in signal.valid_signals():
            handler = _get_handler(number)
            if _wrapped(handler) is not handler:
                _set_handler(number, _wrapped(handler))
