"""Shapes that never come back: memory is bounded, and what was forgotten is found again."""

import gc
from collections import Counter

import numpy as np
import pytest

from sporax import ops
from sporax.autodiff.grad import grad
from sporax.core.tensor import Tensor
from sporax.engine.operation import Rule
from sporax.engine.program import Program
from sporax.engine.trace_tree import TraceNode, forest
from sporax.graph_capture.jit import JitFunction, jit


def numbers(n):
    return np.linspace(0.0, 1.0, n, dtype=np.float32)


def reshaped(n):
    x = Tensor(numbers(n))
    return ops.reshape(x * 2.0 + x[1 : n - 1].sum(), (n, 1)), numbers(n) * 2 + numbers(n)[
        1:-1
    ].sum()


def slope(n):
    return grad(lambda x: (x * x).sum())(Tensor(numbers(n))), numbers(n) * 2


twice = jit(lambda x: x * 2.0)


def captured(n):
    return twice(Tensor(numbers(n))), numbers(n) * 2


@pytest.mark.filterwarnings("ignore:.*has been captured 8 times")
@pytest.mark.parametrize(
    "work", [slope, *[pytest.param(w, marks=pytest.mark.slow) for w in (reshaped, captured)]]
)
def test_ever_new_shapes_do_not_grow_what_is_kept(monkeypatch, work):
    forest.clear()
    monkeypatch.setattr(forest, "LIMIT", 3000)
    monkeypatch.setattr(JitFunction, "MAX_KINDS", 3)
    before = kept()
    for n in range(3, 15):
        result, expected = work(n)
        np.testing.assert_allclose(result.asnumpy().ravel(), expected, rtol=1e-5)
        assert forest.weight < 3000 + 3000
    more = kept() - before
    assert more <= Counter({Program: 6, Rule: 100, TraceNode: 100}), more


def kept():
    """How many there are of what weighs most."""
    gc.collect()
    return Counter(type(o) for o in gc.get_objects() if type(o) in (Program, Rule, TraceNode))
