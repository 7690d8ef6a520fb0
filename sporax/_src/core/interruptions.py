"""Critical sections: calls of JAX, and state that is read and then replaced.

A signal handler waits for the end of an `uninterrupted` function, see `signal_handlers`. At exit a
daemon thread stops at the next such function: Python ends a thread when it next takes the GIL, and
inside XLA that aborts the process.
"""

import functools
import sys
import threading
import time

from sporax._src.core.value import Context, contexts, thread


def uninterrupted(function):
    """Decorate a function so that signal handlers are postponed until it returns."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        context = thread.context
        try:
            with context.busy:
                return function(*args, **kwargs)
        finally:
            if context.postponed and not context.busy._is_owned():
                _run_postponed(context.postponed)

    return run


def _run_postponed(postponed):
    while postponed:
        handler, number, frame = postponed.pop(0)
        handler(number, frame)


PATIENCE = 60  # seconds, at exit: one of several ranks may wait forever
MOMENT, MOMENTS = 0.02, 50


def stop_other_threads():
    """Stop other threads at `uninterrupted` functions for good; returns when no thread is inside
    one and none makes progress: freeing an array runs XLA code, too."""
    Context.last_busy = threading.RLock()
    Context.last_busy.acquire()
    end = time.monotonic() + PATIENCE
    mine = thread.context.busy
    others = [c for c in list(contexts) if c.busy is not mine and c.thread not in Context.awaited]
    for context in others:
        context.busy.acquire(timeout=max(end - time.monotonic(), 0))
    idents = {context.thread for context in others}
    before = _positions(idents)
    for _ in range(MOMENTS if others else 0):
        time.sleep(MOMENT)
        now = _positions(idents)
        if now == before:
            break
        before = now


def _positions(idents):
    """Return the positions of threads: {ident: (id of the frame, its instruction)}."""
    frames = sys._current_frames()
    return {i: (id(frames[i]), frames[i].f_lasti) for i in idents & frames.keys()}
