"""What nothing comes in between: JAX at work, and state that is read and then replaced.

A signal handler waits for the end of a function that is `uninterrupted`, see `signal_handlers`.
"""

import functools

from sporax.core.value import thread


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
