"""What nothing comes in between: JAX at work, and state that is read and then replaced.

A signal handler waits for the end of a function that is `uninterrupted`, see `signal_handlers`. A
daemon thread goes no further than to such a function when Python ends: Python ends a thread where
it next takes the interpreter's lock, and within XLA that aborts the process.
"""

import functools
import sys
import threading
import time

from sporax.core.value import Context, contexts, thread


def uninterrupted(function):
    """Decorates a function during which no signal handler runs: what comes meanwhile follows it."""

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


PATIENCE = 60  # seconds, at the end of Python: one of several ranks may wait for ever
MOMENT, MOMENTS = 0.02, 50


def stop_other_threads():
    """Let other threads come no further than to what is `uninterrupted`, as long as Python lasts;
    returns when none is within, and none moves: where an array is freed XLA is at work, too."""
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
    """Where threads are: {ident: (a frame, its instruction)}."""
    frames = sys._current_frames()
    return {i: (id(frames[i]), frames[i].f_lasti) for i in idents & frames.keys()}
