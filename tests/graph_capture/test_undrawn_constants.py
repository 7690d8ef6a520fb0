"""Tensors that only have an initializer: graphs draw them, as constants and as arguments; dynamic
code refuses to compute with them, as in MindSpore 2.10."""

import threading

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops
from sporax._src.initializers import Normal, One

X = np.arange(3, dtype=np.float32)


def undrawn(size=3, init=None):
    return Tensor(shape=(size,), dtype=ms.float32, init=init or One())


class Padded(nn.Cell):
    def __init__(self):
        super().__init__()
        self.padding, self.noise = undrawn(8), undrawn(3, Normal(1.0))

    def construct(self, x):
        return x * self.padding[:3] + 0 * self.noise + self.padding[2:5]


def looped(x):
    total, step = x, undrawn()
    while total.sum() < 20:
        total = total + step
    return total


CONSTANT = undrawn(8)
FUNCTIONS = {
    "a slice": (lambda x: x + CONSTANT[:3], X + 1),
    "made inside": (lambda x: x + undrawn(), X + 1),
    "its derivative": (ms.grad(lambda x: (x * CONSTANT[:3] * 2).sum()), [2, 2, 2]),
    "vmap": (ms.vmap(lambda x: x + CONSTANT[0]), X + 1),
    "a loop": (looped, X + 6),
    "a Cell": (Padded(), X + 1),
}


@pytest.mark.parametrize("what", FUNCTIONS)
def test_a_captured_function_draws_its_constants(what):
    function, expected = FUNCTIONS[what]
    captured = ms.jit(function)
    for _ in range(2):
        np.testing.assert_array_equal(captured(Tensor(X)).asnumpy(), expected)


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def test_graph_mode_draws_constants_and_arguments(graph_mode):
    for net in (Padded(), Padded()):
        np.testing.assert_array_equal(net(Tensor(X)).asnumpy(), X + 1)
    net = Padded()
    derivative = ms.grad(lambda x: net(x).sum())(Tensor(X))
    np.testing.assert_array_equal(derivative.asnumpy(), np.ones(3))
    plus = nn.SequentialCell(nn.ReLU())
    for _ in range(2):
        np.testing.assert_array_equal(plus(undrawn()).asnumpy(), np.ones(3))


def test_random_numbers_are_drawn_once():
    noise = undrawn(3, Normal(1.0))
    first, second = ms.jit(lambda x: x * noise), ms.jit(lambda x: noise * x)
    drawn = first(Tensor(np.ones(3, np.float32))).asnumpy()
    assert len(set(drawn.tolist())) == 3
    np.testing.assert_array_equal(second(Tensor(np.ones(3, np.float32))).asnumpy(), drawn)
    np.testing.assert_array_equal(noise.asnumpy(), drawn)


def test_dynamic_code_refuses_them():
    tensor = undrawn()
    for use in (lambda: tensor + 1, lambda: tensor[:2], lambda: ops.exp(tensor)):
        with pytest.raises(RuntimeError, match="only has an initializer"):
            use()
    np.testing.assert_array_equal((tensor.init_data() + 1).asnumpy(), [2, 2, 2])


def test_two_threads_draw_the_same_numbers():
    """One captures and has begun to draw, another reads: what it has read stays."""
    read = []

    class Slow(Normal):
        def _initialize(self, array):
            if threading.current_thread() is threading.main_thread():
                reader = threading.Thread(target=lambda: read.append(noise.asnumpy()))
                reader.start()
                reader.join()
            super()._initialize(array)

    noise = undrawn(3, Slow(1.0))
    captured = ms.jit(lambda x: x * 0 + noise, fullgraph=True)
    for _ in range(2):
        np.testing.assert_array_equal(captured(Tensor(X)).asnumpy(), read[0])
    np.testing.assert_array_equal(noise.asnumpy(), read[0])
