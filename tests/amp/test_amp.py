"""Mixed precision and loss scaling: what MindSpore returns (`tools.record training`), and what
the arithmetic of 16 bits gives."""

import json
import math

import numpy as np
import pytest

import sporax
from sporax import amp, nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import context, dtype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax.nn.loss_scale import TrainOneStepWithLossScaleCell
from tests.amp.amp_cases import AMP, WEIGHT, X, network
from tests.case_results import result_or_error
from tests.data.test_datasets import MS, RECORDED

pytestmark = pytest.mark.usefixtures("on_numpy")

for _name, _value in (("amp", amp), ("nn", nn), ("ops", ops), ("Parameter", Parameter)):
    setattr(MS, _name, _value)


@pytest.mark.parametrize("name", AMP)
def test_answers_as_mindspore(name):
    outcome = json.loads(json.dumps(result_or_error(AMP[name], MS)))
    _assert_near(outcome, RECORDED["amp"][name])


def _assert_near(outcome, expected):
    """Numbers of 16 bits, rounded to two digits, may differ in the last."""
    if isinstance(expected, list):
        assert len(outcome) == len(expected)
        for actual, reference in zip(outcome, expected, strict=True):
            _assert_near(actual, reference)
    elif isinstance(expected, float):
        assert math.isclose(outcome, expected, abs_tol=0.011)
    else:
        assert outcome == expected


def halves(x, w):
    """A product of operands in 16 bits."""
    return x.astype(np.float16).astype(np.float64) @ w.astype(np.float16).astype(np.float64)


@pytest.fixture(params=["dynamic", "graph"])
def mode(request):
    if request.param == "graph":
        context.set_context(mode=context.GRAPH_MODE)
    yield request.param
    context.set_context(mode=context.PYNATIVE_MODE)


def test_white_cells_and_primitives_compute_in_16_bits_and_return_32(mode):
    net = network(MS)
    assert amp.auto_mixed_precision(net, "O1") is net
    out = net(Tensor(X))
    assert net.seen == ["Float32"] * 3
    dense = np.float16(halves(X, WEIGHT.T)).astype(np.float64)
    normed = (dense - dense.mean(1, keepdims=True)) / np.sqrt(dense.var(1, keepdims=True) + 1e-7)
    expected = np.float16(halves(normed, WEIGHT[:, :2]))
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=2e-3)
    assert (out.asnumpy() == out.asnumpy().astype(np.float16)).all()  # of 16 bits


@pytest.mark.parametrize("kernel", [(), (1, 1)], ids=["Dense", "Conv2d"])
def test_a_bias_is_added_in_float32_to_a_product_of_16_bits(kernel, mode):
    bias = np.array([1 / 3, 100 / 7], np.float32)
    options = {"weight_init": Tensor(WEIGHT.reshape(2, 3, *kernel)), "bias_init": Tensor(bias)}
    net = nn.Conv2d(3, 2, 1, has_bias=True, **options) if kernel else nn.Dense(3, 2, **options)
    net, x = amp.auto_mixed_precision(net, "auto"), Tensor(X.reshape(4, 3, *kernel))
    out = net(x).asnumpy().reshape(4, 2)
    product = out.astype(np.float64) - bias
    np.testing.assert_allclose(product, np.float16(halves(X, WEIGHT.T)), rtol=1e-3, atol=2e-6)
    assert out.dtype == np.float32 and (out != out.astype(np.float16)).any()
    gradients = sporax.grad(lambda x: net(x).sum(), None, net.trainable_params())(x)
    np.testing.assert_allclose(gradients[0].asnumpy().ravel(), np.tile(X.sum(0), 2), atol=4e-3)
    assert [g.asnumpy().dtype for g in gradients] == [np.float32] * 2
    assert (gradients[1].asnumpy() == len(X)).all()


@pytest.mark.parametrize("wanted", [[nn.Dense], [ops.MatMul]], ids=["Cell", "Primitive"])
def test_only_what_the_white_list_says(wanted, mode):
    x, plain = Tensor(X), network(MS)
    full = plain.dense(x).asnumpy()
    net = amp.custom_mixed_precision(network(MS), white_list=wanted)
    net(x)
    is_low = wanted == [nn.Dense]
    assert (net.dense(x).asnumpy() == full).all() != is_low
    out = net(x).asnumpy()
    assert out.dtype == np.float32
    assert (out == out.astype(np.float16)).all() != is_low


def test_bfloat16(mode):
    net = amp.auto_mixed_precision(network(MS), "O3", dtype.bfloat16)
    assert net(Tensor(X)).dtype == dtype.float32
    assert net.seen == ["BFloat16"] * 3


def test_what_a_user_chose_stays():
    net = nn.SequentialCell(nn.Dense(3, 2).to_float(dtype.float32), nn.Dense(2, 2))
    amp.auto_mixed_precision(net, "O1")
    plain = nn.Dense(3, 2, net[0].weight, net[0].bias)
    assert (net[0](Tensor(X)).asnumpy() == plain(Tensor(X)).asnumpy()).all()


def test_automatic_precision_of_a_function():
    seen = []

    @jit
    def function(x, w):
        y = ops.matmul(x, w)
        z = ops.exp(y)
        seen.append((y.dtype, z.dtype, (y + y).dtype))
        return z

    automatic = amp.auto_mixed_precision(function.fn, "auto")
    out = automatic(Tensor(X), Tensor(WEIGHT.T))
    assert seen == [(dtype.float16, dtype.float32, dtype.float16)]
    expected = np.exp(halves(X, WEIGHT.T).astype(np.float16).astype(np.float32))
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6)


def test_gradients_through_automatic_precision_are_those_of_float32_roughly():
    def loss(w):
        return ops.exp(ops.matmul(Tensor(X), w)).sum()

    exact = sporax.grad(loss)(Tensor(WEIGHT.T)).asnumpy()
    low = sporax.grad(amp.auto_mixed_precision(loss, "auto"))(Tensor(WEIGHT.T))
    assert low.dtype == dtype.float32
    np.testing.assert_allclose(low.asnumpy(), exact, rtol=5e-3)


def scaled_step(rule, weight=2.0, rate=0.5):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([weight]), name="w")

        def construct(self, x):
            return (self.w * x).sum()

    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.5)
    return net, optimizer, TrainOneStepWithLossScaleCell(net, optimizer, rule)


def test_a_step_that_overflows_changes_the_scale_alone(mode):
    net, optimizer, step = scaled_step(nn.DynamicLossScaleUpdateCell(8.0, 2, 2))
    seen = []
    for x in (1.0, np.inf, 1.0, 1.0, 1.0):
        _, overflows, scale = step(Tensor([x], dtype.float32))
        state = [float(p.asnumpy().item()) for p in (net.w, optimizer.moments[0], step.scale_sense)]
        seen.append(
            (bool(overflows), float(scale), *state, int(optimizer.global_step.asnumpy()[0]))
        )
    # weight: 2 - 0.5 * 1; then the momentum 0.5 * 1 + 1 and so on
    assert seen == [
        (False, 8.0, 1.5, 1.0, 8.0, 1),
        (True, 8.0, 1.5, 1.0, 4.0, 1),
        (False, 4.0, 0.75, 1.5, 4.0, 2),
        (False, 4.0, -0.125, 1.75, 8.0, 3),
        (False, 8.0, -1.0625, 1.875, 8.0, 4),
    ]


def test_a_fixed_scale_as_a_tensor():
    net, _, step = scaled_step(Tensor(1024.0, dtype.float32))
    step(Tensor([1.0]))
    assert net.w.asnumpy() == [1.5]
    step.set_sense_scale(Tensor(2.0, dtype.float32))
    assert float(step(Tensor([1.0]))[2]) == 2.0
    with pytest.raises(ValueError, match=r"the shape of 'scale_sense' must be \(\) or \(1,\)"):
        scaled_step(Tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="'scale_sense' must be a Cell or a Tensor, but got int"):
        scaled_step(5)


def test_small_gradients_survive_in_16_bits_when_scaled():
    def gradient(scale):
        w = Tensor([1.0], dtype.float16)
        return (
            float(sporax.grad(lambda w: (w * 1e-5).astype(dtype.float16) * 1e-3 * scale)(w)) / scale
        )

    assert gradient(1.0) != pytest.approx(1e-8, rel=0.05)
    assert gradient(2.0**14) == pytest.approx(1e-8, rel=0.05)


def test_a_training_step_of_ones_own_with_a_scaler(mode):
    w, scaler = Parameter(Tensor([2.0]), name="w"), amp.DynamicLossScaler(2.0**10, 2, 50)
    optimizer = nn.SGD([w], 0.25)

    def forward(x):
        return scaler.scale((w * x).sum())

    both = sporax.value_and_grad(forward, None, [w])

    @jit
    def step(x):
        loss, gradients = both(x)
        gradients = scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        scaler.adjust(finite)
        return scaler.unscale(loss), gradients, finite

    for x in (1.0, np.inf):
        _, gradients, finite = step(Tensor([x], dtype.float32))
        if finite:
            optimizer(gradients)
    assert w.asnumpy() == [1.75]
    assert float(scaler.scale_value) == 2.0**9


def test_levels_of_a_train_network(mode):
    losses = {}
    for level in ("O0", "O1", "O2", "O3", "auto"):
        net = nn.SequentialCell(
            nn.Dense(3, 4, "ones", "zeros"), nn.BatchNorm1d(4), nn.Dense(4, 2, "ones", "zeros")
        )
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = amp.build_train_network(net, optimizer, nn.MSELoss(), level)
        out = step(Tensor(X), Tensor(np.ones((4, 2), np.float32)))
        assert isinstance(out, tuple) == (level == "O2")
        loss = out[0] if level == "O2" else out
        assert loss.dtype == dtype.float32
        assert all(p.dtype == dtype.float32 for p in net.get_parameters())
        losses[level] = float(loss)
    assert list(losses.values()) == pytest.approx([losses["O0"]] * 5, rel=2e-3)
