"""Shapes that never come back: memory is bounded, and what was forgotten is found again."""

import gc
from collections import Counter

import numpy as np
import pytest

from sporax import nn, ops, value_and_grad
from sporax._src.capture.graph_capture.jit import JitFunction, jit
from sporax._src.core.tensor import Tensor
from sporax._src.runtime.engine import compile_policy
from sporax._src.runtime.engine.operation import Rule
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.trace_tree import TraceNode, forest
from sporax._src.transforms.autodiff.grad import grad


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


def plain(x):
    return jit(lambda x: ops.tanh(x * x).sum())(x)


def derivative(x):
    return jit(grad(lambda x: ops.tanh(x * x).sum()))(x)


def derivative_of_captured(x):
    return grad(jit(lambda x: ops.tanh(x * x).sum()))(x)


def nested(x):
    inner = jit(lambda x: ops.tanh(x * x))
    return jit(lambda x: inner(x).sum())(x)


def method(x):
    class Net(nn.Cell):
        @jit
        def construct(self, x):
            return ops.tanh(x * x).sum()

    return Net()(x)


def training_step(x):
    net = nn.Dense(7, 1)
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    step = value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)

    @jit
    def train(x):
        loss, gradients = step(x)
        optimizer(gradients)
        return loss

    return train(x)


@pytest.mark.parametrize(
    "work", [plain, derivative, derivative_of_captured, nested, method, training_step]
)
def test_a_dropped_function_frees_its_programs(work, monkeypatch):
    """As when a cell of a notebook runs again: all of it goes, and what it weighed."""
    monkeypatch.setattr(compile_policy, "uses_interpreter", False)
    x = Tensor(np.ones((2, 7), np.float32))
    for _ in range(2):
        work(x).asnumpy()
    before, weight = kept(), forest.weight
    for _ in range(3):
        work(x).asnumpy()
    assert kept() - before == Counter()
    assert forest.weight < weight + forest.PROGRAM


def test_the_forest_forgets_what_functions_hold(monkeypatch):
    """Else functions that are held, but not called again, would keep their programs for good."""
    monkeypatch.setattr(compile_policy, "uses_interpreter", False)
    before = [o for o in gc.get_objects() if type(o) is Program]

    def new():
        gc.collect()
        return sum(type(o) is Program and o not in before for o in gc.get_objects())

    functions, x = [jit(lambda x: x * 2.0 + 1.0) for _ in range(3)], Tensor(numbers(3))
    for _ in range(2):
        for function in functions:
            np.testing.assert_allclose(function(x).asnumpy(), numbers(3) * 2 + 1)
        assert new() == 3
        forest.clear()
        assert new() == 0


def kept():
    """How many there are of what weighs most."""
    gc.collect()
    gc.collect()  # what the end of others has let go
    return Counter(type(o) for o in gc.get_objects() if type(o) in (Program, Rule, TraceNode))
