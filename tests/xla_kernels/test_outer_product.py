"""Outer products in the order of their transpose: the same values, and no transpose left."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.xla_kernels.rewrite import rewrite
from tests.xla_kernels.derivatives import compare, evaluated

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


def reference(x, y, subscripts):
    """`np.einsum` of an outer product, and its derivatives."""
    of_x, of_y, of_out = subscripts

    def product(x, y):
        return np.einsum(f"{of_x},{of_y}->{of_out}", x, y)

    def transposed(g, x, y):
        return [
            np.einsum(f"{of_out},{of_y}->{of_x}", g, y),
            np.einsum(f"{of_out},{of_x}->{of_y}", g, x),
        ]

    out = product(x, y)
    first = transposed(np.sin(out), x, y)
    by_x, by_y = (0.5 * gradient for gradient in first)
    g = 0.5 * out + np.cos(out) * (product(by_x, y) + product(x, by_y))
    pairs = zip(transposed(g, x, y), transposed(np.sin(out), by_x, by_y), strict=True)
    return out, *first, *(one + other for one, other in pairs)


def check(seed, count, share_by_xla):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        batch, of_first, of_second = rng.integers(0, 3, 3)
        letters = "abcdef"[: batch + of_first + of_second]
        sizes = {letter: int(rng.integers(0, 9) or rng.integers(0, 2)) for letter in letters}
        both, first, second = np.split(list(letters), [batch, batch + of_first])
        of_x, of_y, of_out = (
            "".join(rng.permutation([*both, *own])) for own in (first, second, [*first, *second])
        )
        if rng.random() < 0.5:  # the order that is rewritten
            of_x, of_y = "".join([*both, *first]), "".join([*both, *second])
            of_out = "".join([*both, *second, *first])
        dtype = rng.choice([np.float32, np.float32, np.float64, np.float16])
        x, y = (
            rng.standard_normal([sizes[letter] for letter in of]).astype(dtype)
            for of in (of_x, of_y)
        )
        if x.size and rng.random() < 0.2:
            x.reshape(-1)[rng.integers(x.size)] = rng.choice([np.nan, np.inf])
        dims = [[of.index(letter) for letter in both] for of in (of_x, of_y)]
        order = [*both, *(c for of in (of_x, of_y) for c in of if c not in both)]
        permutation = [order.index(letter) for letter in of_out]

        def run(x, y, dims=dims, permutation=permutation):
            product = jax.lax.dot_general(x, y, (((), ()), dims))
            return [jax.lax.transpose(product, permutation)]

        results = evaluated(run, [x, y], rng.random() < share_by_xla)
        with np.errstate(invalid="ignore"):
            wanted = reference(*(a.astype(np.float64) for a in (x, y)), (of_x, of_y, of_out))
        compare(results, wanted, dtype, f"{of_x},{of_y}->{of_out} {sizes} {dtype}")


def test_outer_products_have_the_values_of_float64_in_both_orders():
    check(0, 20, share_by_xla=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
def test_five_thousand_shapes(seed):
    check(seed, 100, share_by_xla=0.1)
