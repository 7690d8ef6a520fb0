"""Products of one row and a matrix: the same values, and the matrix is not transposed."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.xla_kernels.rewrite import rewrite

rng = np.random.default_rng(0)


def arrays(*shapes, dtype=np.float32):
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def layers(x, v, w):
    return jnp.tanh(x @ v.T) @ w.T


LAYERS = [(1, 5), (7, 5), (3, 7)]
# function, shapes of its arguments, how many matrices XLA has to transpose
CASES = {
    "transposed": (layers, LAYERS, 0),
    "summed over the last axis": (
        lambda x, w: jax.lax.dot_general(x, w, (((1,), (1,)), ((), ()))),
        [(1, 5), (7, 5)],
        0,
    ),
    "a column at the left": (
        lambda x, w: jax.lax.dot_general(x, w, (((0,), (1,)), ((), ()))),
        [(5, 1), (7, 5)],
        0,
    ),
    "as it lies": (lambda x, w: x @ w, [(1, 5), (5, 7)], 0),
    "two rows": (lambda x, w: x @ w.T, [(2, 5), (7, 5)], 1),
    "in a loop": (
        lambda x, w: jax.lax.fori_loop(0, 3, lambda _, x: x @ w.T, x), [(1, 5), (5, 5)], 0,
    ),
    # 3 and 4 without: those that are left are of the gradients by the matrices
    "gradient": (jax.grad(lambda *a: layers(*a).sum(), (0, 1, 2)), LAYERS, 2),
    "second gradient": (
        jax.grad(lambda *a: jax.grad(lambda *b: layers(*b).sum())(*a).sum(), (0, 1, 2)), LAYERS, 2,
    ),
    "mapped": (jax.vmap(layers, (0, None, None)), [(4, 1, 5), (7, 5), (3, 7)], 2),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32])
@pytest.mark.parametrize("name", CASES)
def test_values_and_transposes(name, dtype):
    function, shapes, most = CASES[name]
    if dtype == np.int32 and name in ("transposed", "mapped", "gradient", "second gradient"):
        pytest.skip("it has a tanh")
    given = arrays(*shapes, dtype=dtype)
    program = rewrite(jax.make_jaxpr(function)(*given))
    used = jax.jit(jaxpr_as_fun(program)).lower(*given).compile().as_text()
    results = jax.jit(jaxpr_as_fun(program))(*given)
    expected = jax.tree.leaves(function(*[a.astype(np.float64) for a in given]))
    for mine, right in zip(results, expected, strict=True):
        assert mine.dtype == dtype
        tolerance = 1e-2 if dtype == np.float16 else 1e-5
        np.testing.assert_allclose(mine, right, tolerance, tolerance)
    assert len(re.findall(r"[}\]] transpose\(", used)) <= most


@pytest.mark.parametrize("shapes", [((1, 0), (3, 0)), ((1, 4), (1, 4)), ((1, 1), (3, 1))])
def test_sizes_zero_and_one(shapes):
    given = arrays(*shapes)
    program = rewrite(jax.make_jaxpr(lambda x, w: x @ w.T)(*given))
    (result,) = jax.jit(jaxpr_as_fun(program))(*given)
    np.testing.assert_allclose(result, given[0] @ given[1].T, rtol=1e-6)


def test_nan_and_infinite_numbers():
    x, w = (
        np.array([[np.inf, 1.0]], np.float32),
        np.array([[0, 1], [1, np.nan], [2, 3]], np.float32),
    )
    program = rewrite(jax.make_jaxpr(lambda x, w: x @ w.T)(x, w))
    np.testing.assert_array_equal(
        jax.jit(jaxpr_as_fun(program))(x, w)[0], [[np.nan, np.nan, np.inf]]
    )
