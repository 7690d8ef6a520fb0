"""`check_grad` finds derivatives that are wrong, and only those."""

import numpy as np
import pytest

import sporax
from sporax import Parameter, Tensor, jit, nn, ops
from sporax._src.core import random
from sporax._src.transforms.autodiff import Function, GradientError, check_grad

pytestmark = [pytest.mark.usefixtures("on_numpy"), pytest.mark.executors]


class Cubed(nn.Cell):
    """Its `bprop` forgets the factor 3."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (x * x * dout,)


class Scaled(nn.Cell):
    """A Parameter whose gradient in `internal_params` is wrong."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="factor")
        self.internal_params = [self.w]

    def construct(self, x):
        return x * x * self.w

    def bprop(self, x, out, dout):
        return (2 * x * self.w * dout,), {self.w: (x * dout).sum(0)}


class Net(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.dense = nn.Dense(2, 3)

    def construct(self, x):
        return self.dense(self.inner(x))


class OutOfTensors(nn.Cell):
    """Right to first order; NumPy in its `bprop` loses the second."""

    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (Tensor(3 * x.asnumpy() ** 2) * dout,)


class Nearly(nn.Cell):
    """One element of many is one percent off."""

    def construct(self, x):
        return ops.tanh(x)

    def bprop(self, x, out, dout):
        factor = np.ones(x.shape)
        factor[1, 77] = 1.01
        return ((1 - out * out) * dout * Tensor(factor),)


def failed(fn, *inputs, **options):
    with pytest.raises(GradientError) as caught:
        check_grad(fn, *inputs, **options)
    return caught.value.report


def test_wrong_bprop_is_named_with_both_numbers():
    report = failed(Cubed(), Tensor([3.0]))
    (result,) = report.mismatches
    assert (result.order, result.name, result.index) == (1, "x", (0,))
    assert result.analytic == pytest.approx(9)
    assert result.numeric == pytest.approx(27, rel=1e-6)
    assert result.error == pytest.approx(2 / 3, rel=1e-6)
    text = str(report)
    for part in ("For 'check_grad'", "'x' [0]", "9 by", "27 by", "'Cubed.bprop'", "0.67"):
        assert part in text


def test_wrong_gradient_of_a_parameter_is_named_by_its_path():
    report = failed(Net(Scaled()), Tensor([[3.0, 4.0]]))
    assert {m.name for m in report.mismatches} == {"inner.w"}
    loss = Net(Scaled())
    report = failed(lambda x: loss(x).sum(), Tensor([[3.0, 4.0]]))
    assert {m.name for m in report.mismatches} == {loss.inner.w.name}


def test_second_order_alone_wrong():
    assert check_grad(OutOfTensors(), Tensor([3.0, 4.0]), order=1).passed
    report = failed(OutOfTensors(), Tensor([3.0, 4.0]))
    assert {m.order for m in report.mismatches} == {2}
    assert "'OutOfTensors.bprop' with Tensor operations only" in str(report)


def test_one_element_of_a_large_input_is_found():
    report = failed(Nearly(), Tensor(np.random.randn(2, 2000)))
    (result,) = report.mismatches
    assert result.index == (1, 77)
    assert result.error == pytest.approx(0.01 / 1.01, rel=1e-3)


def test_wrong_function_and_hook():
    class Sine(Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x)
            return ops.sin(x) * scale

        @staticmethod
        def backward(ctx, g):
            return ops.cos(ctx.saved_tensors[0]) * g, None

    report = failed(lambda x: Sine.apply(x, 2.0), Tensor([0.5]))
    assert "'Sine.backward'" in str(report)
    hooked = nn.Tanh()
    hooked.register_backward_hook(lambda cell, gi, go: (gi[0] * 2,))
    assert "backward_hook" in str(failed(hooked, Tensor([0.5])))


def test_containers_integers_and_names():
    def function(pair, table, *rest, scale=None):
        return pair[0] * table["b"] + rest[0], table["n"]

    inputs = (Tensor([1.0]), 3), {"b": Tensor([2.0]), "n": Tensor([1])}, Tensor([4.0])
    report = check_grad(function, *inputs)
    names = [line.split("'")[1] for line in report.checked]
    assert names == ["pair[0]", "table[", "rest[0]"]
    assert any("'table['n']'" in line and "Int64" in line for line in report.skipped)


def test_parameters_are_as_they_were():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.0)).set_train()
    before = {p.name: (p.dtype, p.asnumpy()) for p in net.get_parameters()}
    state = random.default_generator.state.asnumpy()
    report = check_grad(net, Tensor(np.random.randn(5, 3).astype(np.float32)))
    assert "'0.weight' Float64 (4, 3), 12 elements" in str(report)

    def breaks(x):
        net(x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        check_grad(breaks, Tensor(np.random.randn(5, 3)))
    for p in net.get_parameters():
        assert p.dtype == before[p.name][0]
        np.testing.assert_array_equal(p.asnumpy(), before[p.name][1])
    np.testing.assert_array_equal(random.default_generator.state.asnumpy(), state)


def test_random_functions_are_refused():
    net = nn.Dropout(p=0.5).set_train()
    with pytest.raises(ValueError, match=r"same twice.*dropout.*set_train"):
        check_grad(net, Tensor(np.ones((3, 4), np.float32)))
    assert check_grad(net.set_train(False), Tensor(np.ones((3, 4), np.float32))).passed


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, "must be finite", lambda: check_grad(ops.log, Tensor([-1.0]))),
        (
            ValueError,
            "inputs must be finite, but 'x' has NaN",
            lambda: check_grad(lambda x: x, Tensor([np.nan])),
        ),
        (TypeError, "floating or complex", lambda: check_grad(lambda x: x > 0, Tensor([1.0]))),
        (
            ValueError,
            r"Float32 at least.*float16",
            lambda: check_grad(lambda x: ops.sin(x.astype(sporax.float16)), Tensor([[1.0, 2.0]])),
        ),
        (ValueError, "'order' must be one of", lambda: check_grad(ops.sin, Tensor([1.0]), order=3)),
        (
            RuntimeError,
            "outside of 'grad' and 'jit'",
            lambda: sporax.grad(lambda x: check_grad(ops.sin, x) and x)(Tensor([1.0])),
        ),
    ],
)
def test_what_cannot_be_checked_is_refused(error, message, call):
    with pytest.raises(error, match=message):
        call()


def test_lower_precision_of_a_cell_is_left_out():
    assert not check_grad(nn.Dense(2, 2).to_float(sporax.float16), Tensor([[1.0, 2.0]])).noted


def test_float32_on_the_way_is_checked_roughly():
    report = check_grad(lambda x: ops.sin(x.astype(sporax.float32)), Tensor([0.3, 1.0]))
    assert "float32" in report.noted[0]
    assert not check_grad(
        lambda x: Cubed()(x.astype(sporax.float32)), Tensor([0.3, 1.0]), raises=False
    ).passed


def test_complex_inputs():
    z = Tensor(np.array([1 + 2j, -0.5j], np.complex64))
    for function in (lambda z: z * z * z, ops.abs, ops.exp, lambda z: z / (z + 2)):
        assert "Complex128" in str(check_grad(function, z))


def test_gradient_of_a_complex_number_is_mindspores():
    # MindSpore 2.10: z / |z|, and the conjugate of exp(z)
    z = np.array([1 + 2j], np.complex64)
    slope = sporax.grad(ops.abs)(Tensor(z)).asnumpy()
    np.testing.assert_allclose(slope, [0.4472136 + 0.8944272j], rtol=1e-6)
    slope = sporax.grad(ops.exp)(Tensor(z)).asnumpy()
    np.testing.assert_allclose(slope, [-1.1312044 - 2.4717267j], rtol=1e-6)


def test_a_kink_is_noted():
    report = check_grad(ops.relu, Tensor([0.0, 1.0]))
    assert "kink" in report.noted[0]
    assert not check_grad(ops.relu, Tensor([0.5, 1.0])).noted


def test_captured_functions_and_given_weights():
    net = Net(Cubed())
    assert failed(jit(net), Tensor([[1.0, 2.0]])).mismatches
    assert check_grad(lambda x: net.dense(x), Tensor([[1.0, 2.0]]), weights=net.dense.bias).passed


def test_a_network_with_convolutions_takes_seconds():
    net = nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        nn.Dense(1176, 10),
    )  # fmt: skip
    report = check_grad(net, Tensor(np.random.randn(1, 1, 32, 32).astype(np.float32)))
    assert "11760 elements along 4 random directions" in str(report)
