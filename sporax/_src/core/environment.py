"""Values of environment variables, and the state after `os.fork`."""

import os
import warnings
from typing import Any, ClassVar

from sporax._src.diagnosis.rules import require


def choice(variable, *allowed):
    """Return the value of an environment variable, one of `allowed`; the first if it is unset or
    empty. Raises ValueError for any other value."""
    value = os.environ.get(variable) or allowed[0]
    names = [*map(repr, allowed)]
    require(value in allowed, "environment-variable", variable=variable, names=names, got=value)
    return value


class Process:
    """`is_forked`: whether `os.fork` created this process; it lacks XLA's threads, and so cannot
    run XLA programs. `locks`: released in it, even if another thread held them."""

    is_forked = False
    locks: ClassVar[list[Any]] = []


def _after_fork():
    Process.is_forked = True
    for lock in Process.locks:
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
    # JAX warns of a deadlock in XLA's threads, which a forked process of sporax does not use
    warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
