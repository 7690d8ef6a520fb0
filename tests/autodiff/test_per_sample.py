"""Gradients for each example of a batch: against a loop and finite differences."""

import numpy as np
import pytest

from sporax import nn, ops
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core.tensor import Tensor
from sporax._src.transforms.autodiff import grad, value_and_grad

pytestmark = pytest.mark.usefixtures("on_numpy")


class Small(nn.Cell):
    """A convolution, a norm and a matrix."""

    def __init__(self, norm):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, pad_mode="same", has_bias=True)
        self.norm = norm
        self.head = nn.SequentialCell(nn.Flatten(), nn.Dense(32, 3))

    def construct(self, x):
        return self.head(ops.tanh(self.norm(self.conv(x))))


def data():
    rng = np.random.default_rng(0)
    images = Tensor(rng.standard_normal((4, 1, 4, 4)).astype(np.float32))
    return images, Tensor(np.array([0, 2, 1, 1], np.int32))


def forward(net):
    return lambda x, label: ops.cross_entropy(net(x), label)


@pytest.mark.parametrize("wrap", [lambda f: f, jit], ids=["dynamic", "jit"])
@pytest.mark.parametrize("norm", [lambda: nn.GroupNorm(1, 2), lambda: nn.BatchNorm2d(2)])
def test_gives_what_a_loop_over_examples_gives(norm, wrap):
    net = Small(norm())
    weights, (x, label) = net.trainable_params(), data()
    run = wrap(value_and_grad(forward(net), 0, weights, per_sample=True))
    one = value_and_grad(forward(net), 0, weights)
    loop = [one(x[i : i + 1], label[i : i + 1]) for i in range(4)]
    for _ in range(2):
        value, (of_x, of_weights) = run(x, label)
        assert value.shape == (4,)
        assert of_x.shape == x.shape
        for i, (v, (gx, gw)) in enumerate(loop):
            for result, expected in [(value, v), (of_x, gx[0]), *zip(of_weights, gw, strict=True)]:
                np.testing.assert_allclose(
                    result[i].asnumpy(), expected.asnumpy(), rtol=2e-4, atol=1e-6
                )
    summed = grad(lambda x, label: forward(net)(x, label) * 4, None, weights)(x, label)
    for each, expected in zip(of_weights, summed, strict=True):
        np.testing.assert_allclose(each.sum(0).asnumpy(), expected.asnumpy(), rtol=1e-3, atol=1e-5)


def test_matches_finite_differences():
    rng, step = np.random.default_rng(1), 1e-5
    x, w = rng.uniform(0.5, 1.5, (3, 2)), rng.uniform(0.5, 1.5, (2,))

    def loss(x, w):
        return (ops.tanh(x * w) ** 2).sum()

    result = grad(lambda x: loss(x, Tensor(w)), per_sample=True)(Tensor(x)).asnumpy()
    for i, j in np.ndindex(x.shape):
        row = x[i : i + 1].copy()
        row[0, j] += step
        up = float(loss(Tensor(row), Tensor(w)))
        row[0, j] -= 2 * step
        down = float(loss(Tensor(row), Tensor(w)))
        np.testing.assert_allclose(result[i, j], (up - down) / (2 * step), rtol=1e-6)


def test_results_that_are_batches_are_joined():
    x = ops.ones((3, 2))
    value, gradient = value_and_grad(lambda x: (x * 2, x.sum()), per_sample=True)(x)
    assert [v.shape for v in value] == [(3, 2), (3,)]
    assert gradient.shape == (3, 2)


def test_a_scale_by_example_clips_as_in_private_training():
    net, (x, label) = Small(nn.GroupNorm(1, 2)), data()
    weights = net.trainable_params()
    each = grad(forward(net), None, weights, per_sample=True)(x, label)
    norms = ops.sqrt(sum((g.reshape(4, -1) ** 2).sum(1) for g in each))
    scale = ops.clamp(1.0 / norms, 0.0, 1.0)
    clipped = [(g.reshape(4, -1) * scale[:, None]).sum(0) for g in each]
    total = np.sqrt(sum((g.asnumpy() ** 2).sum() for g in clipped))
    assert total <= 4.0


def test_a_batch_norm_in_training_is_refused():
    net, (x, label) = Small(nn.BatchNorm2d(2)).set_train(), data()
    moving = net.norm.moving_mean.asnumpy()
    with pytest.raises(ValueError, match=r"For 'grad'.*same for all examples.*BatchNorm"):
        grad(forward(net), None, net.trainable_params(), per_sample=True)(x, label)
    assert (net.norm.moving_mean.asnumpy() == moving).all()


def test_batches_must_have_one_size():
    with pytest.raises(ValueError, match=r"one size.*\(3, 2\), \(2,\)"):
        grad(lambda x, y: (x * y).sum(), per_sample=True)(ops.ones((3, 2)), ops.ones((2,)))
