"""`detect_anomaly` names the first operation that goes wrong, and what cuts a gradient."""

import inspect
import re
import threading
import warnings

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, detect_anomaly, grad, jit, nn, ops
from sporax._src.core.value import thread
from sporax._src.runtime.engine.recorder import Recorder
from sporax._src.transforms.autodiff import Function

pytestmark = pytest.mark.executors

ZERO = Tensor([0.0, 4.0])


def anomaly(function, *inputs):
    with pytest.raises(FloatingPointError) as caught, detect_anomaly():
        function(*inputs)
    return str(caught.value)


def line_of(function, part):
    """`file:line: source` of the line of a function that holds some text."""
    lines, first = inspect.getsourcelines(function)
    (i,) = [i for i, line in enumerate(lines) if part in line]
    return f"{inspect.getsourcefile(function)}:{first + i}: {lines[i].strip()}"


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense1 = nn.Dense(2, 2)
        self.steps = nn.CellList([nn.Dense(2, 2)])

    def construct(self, x):
        y = self.steps[0](self.dense1(x))
        return ops.log(y - 100.0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def construct(self, x):
        return self.block(x)


def rooted(x):
    squares = x * x
    roots = ops.sqrt(squares)
    return roots.sum()


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
def test_forward_names_operation_cell_line_and_operands(wrap):
    net = Net()
    run = wrap(net)
    text = anomaly(lambda x: run(x), Tensor([[1.0, 2.0]]))
    assert "'Log' made NaN in the forward pass (2 of 2 elements, first at [0, 0])" in text
    assert line_of(Block.construct, "ops.log") in text
    assert re.search(r"'input': float32 \(1, 2\), -\d+", text)
    assert "(in cell " in text
    assert ".block)" in text


def test_the_cell_is_called_as_the_variable_that_holds_it():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.SequentialCell(nn.Dense(2, 2)))
    net[1][0].weight.set_data(Tensor(np.full((2, 2), np.nan, np.float32)))
    text = anomaly(lambda: net(Tensor([[1.0, 2.0]])))
    assert "'Dense' was given NaN" in text
    assert "(in cell net.1.0)" in text


@pytest.mark.parametrize(
    "run",
    [
        grad(rooted),
        grad(grad(rooted)),
        jit(lambda x: grad(rooted)(x)),
        grad(jit(rooted)),
        sporax.value_and_grad(rooted),
    ],
    ids=["grad", "second", "inside jit", "of jit", "value_and_grad"],
)
def test_backward_names_the_line_of_the_forward_operation(run):
    text = anomaly(run, ZERO)
    assert "'the derivative of Sqrt' made Inf in the backward pass (1 of 2 elements" in text
    assert f"of the operation at {line_of(rooted, 'ops.sqrt')}" in text
    assert "the arriving gradient: float32 (2,), 1 to 1" in text


def test_second_order_names_the_forward_line():
    def cubed(x):
        y = ops.pow(x, 1.5)
        return y.sum()

    assert grad(cubed)(ZERO).asnumpy()[0] == 0
    text = anomaly(grad(grad(cubed)), ZERO)
    assert "'the derivative of the derivative of Pow'" in text
    assert line_of(cubed, "ops.pow") in text


def test_infinities_that_are_meant_pass():
    with detect_anomaly():
        x = Tensor([0.0, 2.0])
        assert np.isinf(x.masked_fill(x > 1, -np.inf).asnumpy()[1])
        assert np.isinf((ops.full((2,), -np.inf) + x).asnumpy()).all()
    assert "'Div' made Inf" in anomaly(lambda x: x / 0.0, Tensor([1.0]))
    assert "'Mul' was given NaN" in anomaly(lambda x: x * 2, Tensor([np.nan]))


def test_bprop_function_and_hook_name_their_own_lines():
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * ops.log(x),)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.square = Square()

        def construct(self, x):
            return self.square(x).sum()

    net = Outer()
    text = anomaly(lambda x: grad(net)(x), Tensor([-1.0]))
    assert "'Log' made NaN in the backward pass" in text
    assert line_of(Square, "ops.log") in text
    assert ".square)" in text

    class Twice(Function):
        forward = staticmethod(lambda ctx, x: x * 2)

        @staticmethod
        def backward(ctx, g):
            return g / 0.0

    assert line_of(Twice, "g / 0.0") in anomaly(grad(Twice.apply), Tensor([1.0]))

    def hooked(x):
        y = x * 1.0
        y.register_hook(lambda g: ops.log(-g))
        return y

    text = anomaly(grad(hooked), Tensor([1.0]))
    assert "in the backward pass" in text
    assert line_of(hooked, "register_hook") in text


def test_graph_mode_and_training_step():
    net = nn.SequentialCell(nn.Dense(2, 2))
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 1e38)
    ).set_train()
    data = Tensor([[1e9, 2.0]]), Tensor([[1.0, 1.0]])
    assert "made Inf" in anomaly(lambda: [step(*data) for _ in range(3)])
    sporax.set_context(mode=sporax.GRAPH_MODE)
    try:
        other = Net()
        assert line_of(Block.construct, "ops.log") in anomaly(other, Tensor([[1.0, 2.0]]))
    finally:
        sporax.set_context(mode=sporax.PYNATIVE_MODE)


def cut(x, y, z, u, v):
    a = ops.stop_gradient(x) * 3
    b = Tensor(y.asnumpy())
    c = (z * 2).astype(sporax.int32).astype(sporax.float32)
    return a + b + c + v


def test_zero_where_the_graph_was_cut_is_said_once():
    inputs = [Tensor([2.0]) for _ in range(5)]
    with detect_anomaly(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            grad(cut, (0, 1, 2, 3, 4))(*inputs)
    texts = {re.search("gradient of '(.)'", str(w.message))[1]: str(w.message) for w in caught}
    assert len(caught) == len(texts) == 4
    assert {w.filename for w in caught} == {__file__}
    assert f"'StopGradient' lets no derivative through at {line_of(cut, 'stop_gr')}" in texts["x"]
    assert "no operation uses it" in texts["y"]
    assert "asnumpy" in texts["y"]
    assert f"'Cast' lets no derivative through at {line_of(cut, 'int32')}" in texts["z"]
    assert "no operation uses it" in texts["u"]


def test_zero_of_parameters_and_bprops_is_named():
    class Nothing(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (None,)

    net = nn.Dense(2, 2)
    net.extra = Parameter(Tensor([1.0]))
    with detect_anomaly():
        with pytest.warns(RuntimeWarning, match="gradient of Parameter 'extra' is zero"):
            grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor([[1.0, 2.0]]))
        with pytest.warns(RuntimeWarning, match=r"the derivative in 'Nothing.bprop' gives none"):
            grad(Nothing())(Tensor([1.0]))
        with pytest.warns(RuntimeWarning, match="it was used last by 'Exp' at .*ops.exp"):
            grad(lambda x: Tensor(ops.exp(x).asnumpy()))(Tensor([1.0]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            grad(lambda x: ops.relu(x) * 0)(Tensor([-1.0]))  # a zero that was computed


def test_the_mode_ends_and_belongs_to_its_thread():
    result = []
    with detect_anomaly():
        other = threading.Thread(target=lambda: result.append(ops.log(Tensor([-1.0])).asnumpy()))
        other.start()
        other.join()
        with detect_anomaly(False):
            assert np.isnan(ops.log(Tensor([-1.0])).asnumpy())
        with pytest.raises(FloatingPointError):
            ops.log(Tensor([-1.0]))
    assert np.isnan(result[0])
    assert thread.recorder_class is None and type(thread.recorder) is Recorder
    assert thread.tape is None
    assert thread.watch is None
    assert np.isnan(ops.log(Tensor([-1.0])).asnumpy())

    @detect_anomaly()
    def decorated(x):
        return ops.log(x)

    with pytest.raises(FloatingPointError):
        decorated(Tensor([-1.0]))
    sporax.set_context(detect_anomaly=True)
    try:
        with pytest.raises(FloatingPointError):
            ops.log(Tensor([-1.0]))
    finally:
        sporax.set_context(detect_anomaly=False)
    assert np.isnan(ops.log(Tensor([-1.0])).asnumpy())


def test_the_same_numbers_as_without():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))
    x = Tensor(np.random.randn(5, 3).astype(np.float32))
    run = grad(lambda x: net(x).sum())
    with detect_anomaly():
        observed = run(x).asnumpy()
    np.testing.assert_allclose(observed, run(x).asnumpy(), rtol=1e-6)


def test_inside_a_captured_function_it_is_refused():
    @jit
    def inside(x):
        with detect_anomaly():
            return x + 1

    with pytest.raises(RuntimeError, match="outside of a captured function"):
        inside(Tensor([1.0]))
