"""The measurement of one case by one peer: a library, or sporax under `jit`."""

import gc
import importlib
import json
import statistics
import sys
import time

FIRST_CALLS, FIRST_SECONDS = 20, 2.0
LAST_SECONDS = 150.0  # after which a program that is not compiled yet is no longer waited for


# modules of sporax that another library's process does not have
_INTERPRETATION = "sporax._src.runtime.numpy_interpreter.interpretation"
_PACKED = "sporax._src.capture.graph_capture.packed_state"


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def runs_before_compiling(most):
    """Return two numbers, of which one changes with each call until every program that sporax is
    going to compile within `most` calls is compiled. They change in opposite directions: their sum
    may not."""
    interpreted = getattr(sys.modules.get(_INTERPRETATION), "Interpretation", ())
    packing = getattr(sys.modules.get(_PACKED), "PackedCall", ())
    interpretations = packings = 0
    for item in gc.get_objects():
        if isinstance(item, interpreted):
            interpretations += item.runs
        elif isinstance(item, packing) and item.program is None and item.wait < most:
            packings += 1 + item.tries - item.wait
    return interpretations, packings


def is_compiling():
    """Return True while sporax compiles programs in the background."""
    compilation = getattr(sys.modules.get(_INTERPRETATION), "BackgroundCompilation", None)
    return compilation is not None and bool(compilation.in_progress)


def settled(step):
    """Call until nothing more is compiled; return each call's seconds."""
    calls = []
    while len(calls) < FIRST_CALLS and (len(calls) < 3 or sum(calls) < FIRST_SECONDS):
        calls.append(timed(step))
    # sporax compiles some programs at a later run: call until no such program is pending
    end, most = time.perf_counter() + LAST_SECONDS, LAST_SECONDS / min(calls)
    last, now = None, runs_before_compiling(most)
    while (now != last or is_compiling()) and time.perf_counter() < end:
        calls += [timed(step) for _ in range(max(len(calls) // 10, 1))]
        last, now = now, runs_before_compiling(most)
    return calls


def repeated(step, seconds):
    """Call for that time, at least three times; return each call's seconds."""
    calls, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(calls) < 3:
        calls.append(timed(step))
    return calls


def open_library(peer):
    """Import a peer's library; return its version and the name under which scripts import it."""
    library, _, _ = peer.partition("-")
    version = importlib.import_module(library).__version__
    if library != "sporax":
        return version, library
    sys.modules["sporax"].install_as_mindspore()
    return version, "mindspore"


def measure(peer, case, seconds):
    """Print as JSON: version, seconds of set-up and first call, quartiles of later calls."""
    version, library = open_library(peer)
    cases = importlib.import_module(f".in_{library}", __package__).CASES
    start = time.perf_counter()
    step = cases[case](peer.partition("-")[2])
    step()
    first = time.perf_counter() - start
    settled(step)
    quartiles = statistics.quantiles(repeated(step, float(seconds)), n=4)
    print(json.dumps({"version": version, "first": first, "quartiles": quartiles}))
