"""The derivative of softmax: from its result alone."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import sporax
from sporax import Tensor, grad, ops


@pytest.mark.parametrize("axis", [-1, 0, (0, 1)])
def test_derivative_keeps_the_result_alone(axis):
    def softmax(x):
        return ops.softmax.declaration.fn(x, axis)

    y, pullback = jax.vjp(softmax, jnp.arange(32.0).reshape(4, 8) / 9)
    kept = jax.tree.leaves(pullback)
    assert [r.shape for r in kept] == [y.shape]
    np.testing.assert_array_equal(kept[0], y)


def test_derivatives_of_both_orders_against_float64():
    """Of sum(w softmax(x)), also where scores are hidden."""
    rng = np.random.default_rng(0)
    x, w, v = rng.normal(size=(3, 5, 7))
    x[:, 4:] -= 1e9 * (np.arange(5)[:, None] % 2)

    def first(x):
        y = np.exp(x - x.max(-1, keepdims=True))
        y /= y.sum(-1, keepdims=True)
        return y * (w - (w * y).sum(-1, keepdims=True))

    tensors = [Tensor(a.astype(np.float32)) for a in (x, w, v)]

    def gradient(x):
        return grad(lambda x: (ops.softmax(x, -1) * tensors[1]).sum())(x)

    np.testing.assert_allclose(gradient(tensors[0]).asnumpy(), first(x), rtol=1e-5, atol=1e-6)
    second = grad(lambda x: (gradient(x) * tensors[2]).sum())(tensors[0])
    step = 1e-6
    expected = (first(x + step * v) - first(x - step * v)) / (2 * step)
    np.testing.assert_allclose(
        second.asnumpy()[::2], expected[::2], rtol=1e-4, atol=1e-5
    )  # rows without hidden scores: a step changes nothing beside 1e9
    assert np.isfinite(second.asnumpy()).all()


def test_forward_mode():
    x = np.linspace(-1, 1, 6, dtype=np.float32)
    _, tangent = sporax.jvp(lambda x: ops.softmax(x, -1), Tensor(x), Tensor(np.ones_like(x)))
    np.testing.assert_allclose(tangent.asnumpy(), 0, atol=1e-7)
