"""`set_grad`: the gradient taken after a call is that call's own if nothing changed."""

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.transforms.autodiff import GradOperation, grad, value_and_grad
from sporax.nn.cell import Cell


class Counting(Cell):
    """w * x * x * (the number of the call)."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 1.0]))
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return self.w * x * x * float(self.calls)


def counting():
    return Counting().set_grad(), Tensor([1.0, 2.0])


@pytest.fixture(autouse=True)
def dynamic():
    mode = context._values["mode"]
    context.set_context(mode=context.PYNATIVE_MODE)
    yield
    context.set_context(mode=mode)


def test_the_call_before_is_differentiated_once():
    net, x = counting()
    net(x)
    assert grad(net)(x).asnumpy().tolist() == [2.0, 4.0]
    assert net.calls == 1
    assert grad(net)(x).asnumpy().tolist() == [4.0, 8.0]
    assert net.calls == 2


def test_by_the_weights_with_a_value_and_scaled():
    net, x = counting()
    y = net(x)
    value, (by_x, by_w) = value_and_grad(net, 0, net.trainable_params())(x)
    assert net.calls == 1 and value.asnumpy().tolist() == y.asnumpy().tolist() == [1.0, 4.0]
    assert by_x.asnumpy().tolist() == [2.0, 4.0] and by_w[0].asnumpy().tolist() == [1.0, 4.0]
    net(x)
    scaled = GradOperation(sens_param=True)(net)(x, Tensor([10.0, 100.0]))
    assert net.calls == 2 and scaled.asnumpy().tolist() == [40.0, 800.0]


def change_x(net, x):
    x[0] = 5.0


def change_w(net, x):
    net.w.set_data(Tensor([2.0, 2.0]))


def change_mode(net, x):
    net.set_train()


@pytest.mark.parametrize("change", [change_x, change_w, change_mode])
def test_what_has_changed_since_is_computed_anew(change):
    net, x = counting()
    net(x)
    change(net, x)
    result = grad(net)(x).asnumpy()
    assert net.calls == 2
    assert result.tolist() == (2 * 2 * net.w.asnumpy() * x.asnumpy()).tolist()


def test_another_argument_or_function_is_computed_anew():
    net, x = counting()
    net(x)
    grad(net)(Tensor([1.0, 2.0]))
    assert net.calls == 2
    net(x)
    grad(lambda x: net(x) * 2)(x)
    assert net.calls == 4


def test_dropout_and_statistics_belong_to_the_call():
    """The mask of the call is the gradient's; the statistics move once."""
    net = nn.SequentialCell(nn.Dropout(p=0.5), nn.BatchNorm1d(50)).set_train()
    net.set_grad()
    x = Tensor(np.arange(200.0).reshape(4, 50))
    net(x)
    moved = net[1].moving_mean.asnumpy()
    grad(net)(x)
    assert (net[1].moving_mean.asnumpy() == moved).all()
    mask = nn.Dropout(p=0.5).set_train().set_grad()
    ones = ops.ones((100,))
    assert (mask(ones).asnumpy() == grad(mask)(ones).asnumpy()).all()


def test_nothing_is_kept_of_a_call_that_would_be_the_same_again():
    net = nn.Dense(3, 2).set_grad()
    net(ops.ones((1, 3)))
    assert net._announced is None or thread.recorder.immediate


class Noting(Cell):
    """w * x, and how many calls there were, in a Parameter."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 1.0]))
        self.count = Parameter(Tensor([0.0]), requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.count, Tensor([1.0]))
        return self.w * x


def test_in_a_capture_too():
    net, x = Noting().set_grad(), Tensor([1.0, 2.0])

    def step(x):
        y = net(x)
        return y, grad(net, None, net.trainable_params())(x)

    step = jit(step)
    for calls in (1, 2, 3):
        y, (by_w,) = step(x)
        assert by_w.asnumpy().tolist() == y.asnumpy().tolist() == [1.0, 2.0]
        assert net.count.asnumpy().tolist() == [calls]
