"""Programs with channels last between convolutions: the same values, and few transposes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.xla_kernels.onednn import library
from sporax._src.runtime.xla_kernels.rewrite import is_affected, rewrite

pytestmark = pytest.mark.skipif(library.load() is None, reason="oneDNN is not for this platform")

rng = np.random.default_rng(0)
X = rng.standard_normal((2, 4, 8, 8)).astype(np.float32)
W = (rng.standard_normal((4, 4, 3, 3)) / 6).astype(np.float32)


def conv(x, w=W, stride=1):
    return lax.conv_general_dilated(
        x,
        jnp.asarray(w, x.dtype),
        (stride, stride),
        "SAME",
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )


def norm(x):
    mean = x.mean((0, 2, 3), keepdims=True)
    variance = ((x - mean) ** 2).mean((0, 2, 3), keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5)


def pooled(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def loop(x):
    return lax.fori_loop(0, 3, lambda _, x: jnp.tanh(conv(x)), x)


def conv1d(x):
    return lax.conv_general_dilated(
        x, jnp.asarray(W[..., 0], x.dtype), (1,), "SAME", dimension_numbers=("NCH", "OIH", "NCH")
    )


# name -> (a function of X, how many transposes of data at most its program may have)
CASES = {
    "one": (conv, 2),
    "chain": (lambda x: conv(jax.nn.relu(conv(jnp.tanh(conv(x))))), 2),
    "norm": (lambda x: conv(jax.nn.relu(norm(conv(x)))), 2),
    "residual": (lambda x: conv(x + conv(conv(x))), 2),
    "bias": (lambda x: conv(conv(x) + jnp.arange(4.0).reshape(4, 1, 1)), 2),
    "clipped": (lambda x: conv(jnp.clip(conv(x), 0, 6)), 2),
    "selected": (lambda x: conv(jnp.where(conv(x) > 0, 1.0, conv(x))), 2),
    "mean": (lambda x: conv(x).mean((2, 3)), 1),
    "total over channels": (lambda x: conv(x).sum(1), 2),
    "joined": (lambda x: conv(jnp.concatenate([conv(x), conv(-x)], 1)[:, 2:6]), 3),
    "joined along rows": (lambda x: conv(jnp.concatenate([conv(x), conv(-x)], 2)), 3),
    "padded": (lambda x: conv(jnp.pad(conv(x), ((0, 0), (0, 0), (1, 2), (0, 3)))), 2),
    "sliced": (lambda x: conv(conv(x)[:, :, 1::2, 2:]), 2),
    "pooled": (lambda x: conv(pooled(conv(x))), 2),
    "strided": (lambda x: conv(conv(x, stride=2)), 2),
    "reshaped": (lambda x: conv(conv(x).reshape(2, 4, 4, 16)), 4),
    "flattened": (lambda x: conv(x).reshape(2, -1) @ jnp.ones((256, 3)), 2),
    "used twice": (lambda x: (conv(conv(x)), conv(x).reshape(-1)), 3),
    "loop": (loop, 2),
    "condition": (lambda x: lax.cond(x.sum() > 0, conv, jnp.sin, x), 2),
    "rank 3": (lambda x: x[:, :, 0] + conv1d(jnp.tanh(conv1d(x[:, :, 0]))), 3),
}


def transposes_of_data(jaxpr):
    """How many transposes of what has a batch a jaxpr has."""
    total = 0
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == "transpose":
            total += eqn.invars[0].aval.shape[0] == X.shape[0]
        for part in jax.tree.leaves(
            tuple(eqn.params.values()), is_leaf=lambda p: hasattr(p, "eqns")
        ):
            part = getattr(part, "jaxpr", part)
            total += transposes_of_data(part) if hasattr(part, "eqns") else 0
    return total


@pytest.mark.parametrize("name", CASES)
def test_values_and_transposes(name):
    function, most = CASES[name]
    program = rewrite(jax.make_jaxpr(function)(X))
    assert "ffi_call" in str(program)
    assert transposes_of_data(program.jaxpr) <= most
    with jax.enable_x64():
        expected = jax.jit(function)(X.astype(np.float64))
    results = jax.jit(jaxpr_as_fun(program))(X)
    for mine, right in zip(results, jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_gradients(name):
    function, _ = CASES[name]

    def loss(x, w):
        outs = jax.tree.leaves(function(x) if name == "loop" else function(conv(x, w)))
        return sum(jnp.sum(jnp.sin(out)) for out in outs)

    def run(x, w):  # a loop of unknown length has derivatives forward only
        return jax.jvp(loss, (x, w), (x, w)) if name == "loop" else jax.grad(loss, (0, 1))(x, w)

    program = rewrite(jax.make_jaxpr(run)(X, W))
    with jax.enable_x64():
        expected = jax.jit(run)(X.astype(np.float64), W.astype(np.float64))
    for mine, right in zip(jax.jit(jaxpr_as_fun(program))(X, W), expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(("window", "stride"), [(1, 2), (1, 3), (2, 3)])
def test_gradient_of_weights_with_strides(window, stride):
    """Elements at the end that no window has are left to oneDNN: the input is not sliced."""
    w = W[:, :, :window, :window]

    def loss(x, w):
        dims = ("NCHW", "OIHW", "NCHW")
        y = lax.conv_general_dilated(x, w, (stride, stride), "VALID", dimension_numbers=dims)
        return jnp.sin(y).sum()

    gradient = jax.grad(loss, (0, 1))
    program = rewrite(jax.make_jaxpr(gradient)(X, w))
    assert {"slice", "pad"}.isdisjoint(eqn.primitive.name for eqn in program.jaxpr.eqns)
    with jax.enable_x64():
        expected = jax.jit(gradient)(X.astype(np.float64), w.astype(np.float64))
    for mine, right in zip(jax.jit(jaxpr_as_fun(program))(X, w), expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-4, atol=1e-4)


def test_a_program_without_a_convolution_stays_as_it_is():
    jaxpr = jax.make_jaxpr(lambda x: jax.nn.relu(x).sum())(X)
    assert not is_affected(jaxpr)
    assert rewrite(jaxpr) is jaxpr
