"""The log of `explain`: each capture and compilation, its reason and duration.

When it is off, a capture or compilation checks `channel.is_on` once, and nothing else does.
"""

import os
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

from sporax._src.core.errors import describe, user_frame

ASIDE = "compiled in the background:"
_GOING_ON = {"compiled": "compiling", ASIDE: "compiling in the background:"}
LONG = 2.0  # seconds; longer captures and compilations are announced while they run
_CACHE_HIT = "/jax/compilation_cache/cache_hits"


class Channel(threading.local):
    """State of the log: whether it is on (for all threads), and the state of one thread."""

    is_on = False  # set on the class
    began: Any = None  # the line of user code at which the running trace began
    is_listening = False
    hits = 0  # programs that JAX found in its compilation cache


channel = Channel()


def log(words):
    """Print a line to stderr."""
    print(f"sporax: {words}", file=sys.stderr, flush=True)


def listen():
    """Make JAX report hits in its compilation cache."""
    if not Channel.is_listening:
        Channel.is_listening = True
        jax.monitoring.register_event_listener(_note)


def _note(event, **_):
    if event == _CACHE_HIT:
        channel.hits += 1


def lasted(seconds):
    """Format a duration."""
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


def counted(count, what="operation"):
    """Format a count: `3 operations`."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def location(file, line):
    """Format a file and a line, relative to the working directory if below it."""
    try:
        file = Path(file).relative_to(Path.cwd())
    except ValueError:
        file = Path(file) if len(str(file)) < 60 else Path(os.sep.join(Path(file).parts[-2:]))
    return f"{file}:{line}"


@contextmanager
def announced(what):
    """Log a block that takes longer than `LONG`; yields a function for the seconds so far."""
    began = time.perf_counter()
    timer = threading.Timer(LONG, log, [f"{what}: not done after {LONG:g} s, still going on ..."])
    timer.daemon = True
    timer.start()
    try:
        yield lambda: time.perf_counter() - began
    finally:
        timer.cancel()


def first_call(program, path, why, kind="compiled"):
    """Wrap the program of a trace to log its first call."""
    what, why = _described(path, why)

    def call(*operands):
        before = channel.hits
        with announced(f"{_GOING_ON.get(kind, kind)} {what}") as seconds:
            program(*operands)
            took = lasted(seconds())
        origin = ", from the folder of compiled programs" if channel.hits > before else ""
        log(f"{kind} {what}{why}; {took}{origin}")

    return call


def reason(before, now, state):
    """Return the reason why a trace needs a new program."""
    if before is None:
        return "first time"
    changed = [
        f"{describe(a)} -> {describe(b)}" for a, b in zip(before, now, strict=False) if a is not b
    ]
    if changed:
        return f"inputs changed: {', '.join(changed[:3])}"
    if len(before) != len(now):
        return f"it takes {len(now)} inputs, {len(before)} before"
    if state.programs:
        return "other results are held, or other inputs no longer"
    return "the same operations with other settings, or wired otherwise"


def _described(path, why):
    """Describe a trace in words: (what it is, why it runs in a new way)."""
    captured = [step.op for step in path if step.op.recorded]
    size = counted(sum(step.op.recorded or 1 for step in path))
    names = ", ".join(dict.fromkeys(f"'{op.name}'" for op in captured))
    if captured and len(captured) == len(path):
        return f"{names} ({size})", ""
    began, ended = channel.began, user_frame()
    lines = [location(f.filename, f.lineno) for f in (began, ended) if f is not None]
    where = f" {' to '.join(dict.fromkeys(lines))}" if lines else ""
    at_line = f" ({ended.line})" if ended is not None and ended.line else ""
    inside = f" with {names}" if names else ""
    return f"dynamic code{where}{at_line}{inside} ({size})", f": {why}"
