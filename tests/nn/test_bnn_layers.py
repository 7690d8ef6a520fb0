"""Layers with random weights, against the moments and divergences of normal distributions."""

import numpy as np
import pytest

from sporax import Tensor, grad, nn, set_seed, value_and_grad
from sporax.nn.probability import bnn_layers

pytestmark = pytest.mark.usefixtures("on_numpy")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3)).astype(np.float32)


def wide(name, shape):
    """A posterior with a deviation near 0.3, so that draws are seen to differ."""
    return bnn_layers.NormalPosterior(name, shape, untransformed_scale_mean=-1)


def moments(posterior):
    rho = posterior.untransformed_std.asnumpy().astype(np.float64)
    return posterior.mean.asnumpy().astype(np.float64), 1e-6 + np.log1p(np.exp(rho))


def divergence(posterior, mean=0.0, sd=0.1):
    mu, sigma = moments(posterior)
    return (np.log(sd / sigma) + (sigma**2 + (mu - mean) ** 2) / (2 * sd**2) - 0.5).sum()


LAYERS = [
    (bnn_layers.DenseReparam, (3, 4), X, (2, 4)),
    (bnn_layers.DenseLocalReparam, (3, 4), X, (2, 4)),
    (bnn_layers.ConvReparam, (2, 3, 3), RNG.normal(size=(1, 2, 5, 4)), (1, 3, 5, 4)),
]


@pytest.mark.parametrize(("kind", "sizes", "x", "shape"), LAYERS, ids=lambda x: str(x)[-30:])
def test_layer(kind, sizes, x, shape):
    layer = kind(*sizes, has_bias=True, weight_posterior_fn=wide, bias_posterior_fn=wide)
    x = Tensor(np.asarray(x, np.float32))
    first, second = layer(x), layer(x)
    assert first.shape == shape and not np.allclose(first.asnumpy(), second.asnumpy())
    expected = divergence(layer.weight_posterior) + divergence(layer.bias_posterior)
    np.testing.assert_allclose(layer.compute_kl_loss().asnumpy(), expected, rtol=1e-5)
    assert len(layer.trainable_params()) == 4


@pytest.mark.parametrize("kind", [bnn_layers.DenseReparam, bnn_layers.DenseLocalReparam])
def test_results_have_the_moments_of_the_weights(kind):
    set_seed(1)
    layer = kind(3, 2, has_bias=False, weight_posterior_fn=wide)
    draws = np.stack([layer(Tensor(X)).asnumpy() for _ in range(100)])
    mu, sigma = moments(layer.weight_posterior)
    np.testing.assert_allclose(draws.mean(0), X @ mu.T, atol=0.25)
    np.testing.assert_allclose(draws.std(0), np.sqrt(X**2 @ (sigma**2).T), rtol=0.3)


def test_loss_with_divergences_and_its_derivative():
    network = nn.SequentialCell(
        bnn_layers.DenseReparam(3, 2), nn.ReLU(), bnn_layers.DenseReparam(2, 1)
    )
    loss = bnn_layers.WithBNNLossCell(network, nn.MSELoss(), 0, 0.5)
    label = Tensor(np.ones((2, 1), np.float32))
    layers = [network[0], network[2]]
    both = [p for x in layers for p in (x.weight_posterior, x.bias_posterior)]
    value, gradients = value_and_grad(loss, None, network.trainable_params())(Tensor(X), label)
    np.testing.assert_allclose(value.asnumpy(), 0.5 * sum(map(divergence, both)), rtol=1e-5)
    mu, _ = moments(layers[0].weight_posterior)
    np.testing.assert_allclose(gradients[0].asnumpy(), 0.5 * mu / 0.1**2, rtol=1e-4)
    assert loss.backbone_network is network
    assert grad(lambda x: loss(x, label))(Tensor(X)).shape == X.shape


def test_errors():
    with pytest.raises(TypeError, match="'weight_posterior_fn' must give a Cell with a Normal"):
        bnn_layers.DenseReparam(3, 4, weight_posterior_fn=lambda name, shape: nn.ReLU())
    with pytest.raises(ValueError, match="'dnn_factor' must be a number of at least 0"):
        bnn_layers.WithBNNLossCell(nn.ReLU(), nn.MSELoss(), -1)
    with pytest.raises(TypeError, match="'name' must be a str"):
        bnn_layers.NormalPosterior(3, (2,))
    assert bnn_layers.NormalPrior()("mean").asnumpy() == 0
