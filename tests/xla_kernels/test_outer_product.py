"""Outer products in the order of their transpose: the same values, and no transpose left."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax.core.jax_internals import jaxpr_as_fun
from sporax.xla_kernels.rewrite import rewrite

rng = np.random.default_rng(0)
X, Y = rng.standard_normal((5, 3)).astype(np.float32), rng.standard_normal((5, 4))
Y = Y.astype(np.float32)


def weight_gradient(x, y):
    return jax.vjp(lambda w: x @ w, jnp.ones((3, 4), x.dtype))[1](y)[0]


CASES = {
    "one sample": (lambda x, y: weight_gradient(x[0], y[0]), 0),
    "each sample": (jax.vmap(weight_gradient), 0),
    "samples last": (jax.vmap(weight_gradient, out_axes=-1), 1),
    "another order": (lambda x, y: jnp.einsum("bi,bj->jbi", x, y), 1),
    "in a loop": (lambda x, y: jax.lax.map(lambda p: weight_gradient(*p), (x, y)), 0),
    "derivative": (
        jax.grad(lambda x, y: jnp.sin(jax.vmap(weight_gradient)(x, y)).sum(), (0, 1)),
        1,
    ),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.complex64])
@pytest.mark.parametrize("name", CASES)
def test_values_and_transposes(name, dtype):
    function, most = CASES[name]
    x, y = X.astype(dtype), Y.astype(dtype)
    if name == "derivative" and dtype == np.complex64:
        x, y = X, Y
    program = rewrite(jax.make_jaxpr(function)(x, y))
    used = jax.jit(jaxpr_as_fun(program)).lower(x, y).as_text()
    results = jax.jit(jaxpr_as_fun(program))(x, y)
    for mine, right in zip(results, jax.tree.leaves(jax.jit(function)(x, y)), strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-3, atol=1e-3)
    assert used.count("stablehlo.transpose") <= most


@pytest.mark.parametrize("shapes", [((0, 3), (0, 4)), ((5, 0), (5, 4)), ((5, 1), (5, 1))])
def test_sizes_zero_and_one(shapes):
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    program = rewrite(
        jax.make_jaxpr(jax.vmap(weight_gradient if shapes[0][1] == 3 else jnp.outer))(*arrays)
    )
    (result,) = jax.jit(jaxpr_as_fun(program))(*arrays)
    assert result.shape == (shapes[0][0], shapes[0][1], shapes[1][1])
