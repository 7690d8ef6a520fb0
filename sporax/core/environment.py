"""The environment variables that switch something on or off."""

import os
from typing import Any, ClassVar


def choice(variable, *allowed):
    """The value of an environment variable, one of `allowed`; the first where it is not set, or
    empty. Raises ValueError for another."""
    value = os.environ.get(variable) or allowed[0]
    if value not in allowed:
        raise ValueError(
            f"The environment variable {variable} must be {' or '.join(map(repr, allowed))}, but "
            f"got {value!r}."
        )
    return value


class Process:
    """`is_forked`: whether `os.fork` has made this process, in which XLA's threads are missing: it
    can run no program of XLA's. Locks that another thread held are free in it."""

    is_forked = False
    locks: ClassVar[list[Any]] = []


def _after_fork():
    Process.is_forked = True
    for lock in Process.locks:
        lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
