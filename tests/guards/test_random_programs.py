"""Captured functions read random Python state, a part of which then changes: never stale.

The oracle is the function itself, called without a capture. A case that runs dynamically, with a
warning, is right too; that most cases are captured, and that most changes matter, is checked at the
end, so that the comparison is not empty.
"""

import warnings

import numpy as np
import pytest

from sporax import Tensor
from sporax.graph_capture import graph_call
from sporax.graph_capture.jit import jit
from tests import interpretation
from tests.guards.random_state import State


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Run programs by NumPy: each capture has one of its own, and it is not what is tested."""
    monkeypatch.setattr(graph_call, "prepare", interpretation.prepare)


X = np.array([1.0, 2.0], np.float32)


def outcome(function, x):
    """What a call gives, or the kind of error that it raises."""
    try:
        return function(x).asnumpy().tolist()
    except Exception as error:  # noqa: BLE001 (whatever it is, both calls must raise it)
        return type(error).__name__


def stale(seed):
    """(what went wrong or None, whether the case was captured, whether a change mattered)."""
    state, x = State(seed), Tensor(X)
    run, seen = jit(state.function), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for turn in range(3):
            for _ in range(2):
                result, expected = outcome(run, x), outcome(state.function, x)
                if result != expected:
                    return f"turn {turn}: {result}, not {expected}\n{state.words}", True, True
            seen.append(result)
            state.change()
    return None, not run.dynamic, seen[0] != seen[1] or seen[1] != seen[2]


def check(seeds):
    results = [stale(seed) for seed in seeds]
    wrong = [words for words, _, _ in results if words is not None]
    assert not wrong, f"{len(wrong)} of {len(results)} stale; the first: {wrong[0]}"
    captured = np.mean([captured for _, captured, _ in results])
    changed = np.mean([changed for _, _, changed in results])
    assert captured > 0.8
    assert changed > 0.5


@pytest.mark.parametrize(
    "seeds", [range(300), pytest.param(range(1000, 11_000), marks=pytest.mark.slow)], ids=str
)
def test_nothing_is_stale(seeds):
    check(seeds)
