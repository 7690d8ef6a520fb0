"""Reductions in stages: the values of NumPy's in float64, and where stages are and are not."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.xla_kernels.rewrite import with_staged_reductions

rng = np.random.default_rng(0)

SHAPES = [
    (65536,),
    (300, 128),
    (128, 300),
    (7, 96, 100),
    (32, 32, 32, 3),
    (2, 8, 33, 64),
    (1, 5, 4096, 1),
    (17, 19, 64),
]
OPERATIONS = {"sum": (jnp.sum, np.sum), "max": (jnp.max, np.max), "min": (jnp.min, np.min)}


def in_stages(function, *args):
    return with_staged_reductions(jax.make_jaxpr(function)(*args))


def computed(program, *args):
    return [np.asarray(x) for x in jax.jit(jaxpr_as_fun(program))(*args)]


def names(program):
    return [eqn.primitive.name for eqn in program.jaxpr.eqns]


def input_of(shape, dtype=np.float32):
    """Return an array with one large element, which no maximum may lose."""
    x = rng.standard_normal(shape).astype(dtype)
    x.flat[rng.integers(x.size)] = 1e3
    return x


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
def test_values(name, is_shared):
    """Each combination of axes; with the operand used a second time, sums are over windows."""
    staged, expected = OPERATIONS[name]
    for shape in SHAPES:
        x, n = input_of(shape), len(shape)
        every = [a for k in range(n) for a in itertools.combinations(range(n), k + 1)]

        def run(x, every=every):
            operands = [x * 2 for _ in every]
            results = [staged(y, axes) for y, axes in zip(operands, every, strict=True)]
            return results, [jnp.tanh(y) for y in operands] if is_shared else ()

        for got, axes in zip(computed(in_stages(run, x), x), every, strict=False):
            wanted = expected(2 * x.astype(np.float64), axes)
            most = 1e-6 * np.abs(2 * x).sum(axes).max() if name == "sum" else 0
            assert got.shape == wanted.shape
            assert np.abs(got - wanted).max() <= most, (shape, axes)


@pytest.mark.parametrize("is_shared", [False, True])
def test_special_values(is_shared):
    """NaN and infinities come through as in one stage."""
    x = rng.standard_normal((64, 512)).astype(np.float32)
    x[1, 2], x[3, 4], x[5, 6], x[5, 7] = np.nan, np.inf, np.inf, -np.inf
    x[7] = -0.0

    def run(x):
        y = x * 1
        return y.sum(1), y.max(1), y.min(0), jnp.exp(y) if is_shared else ()

    with np.errstate(invalid="ignore"):
        expected = x.sum(1), x.max(1), x.min(0)
    for got, wanted in zip(computed(in_stages(run, x), x), expected, strict=False):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def test_where_stages_are():
    """Large reductions of real numbers have stages, also in loops and branches; others do not."""
    large, small = np.ones((64, 512), np.float32), np.ones((64, 8), np.float32)

    def loop(x):
        return jax.lax.fori_loop(0, 3, lambda _, y: y + x.sum() + y.max(), 0.0)

    assert "optimization_barrier" in names(in_stages(lambda x: x.sum(), large))
    assert "reduce_window_sum" in names(in_stages(lambda x: (x.sum(), x + 1), large))
    assert "reduce_window_sum" not in names(in_stages(lambda x: (x.max(), x + 1), large))
    assert "optimization_barrier" in str(in_stages(loop, large))
    assert names(in_stages(lambda x: x.sum(), small)) == ["reduce_sum"]
    assert names(in_stages(lambda x: x.max(), large.astype(np.int32))) == ["reduce_max"]
    assert names(in_stages(lambda x: x.any(), large > 0)) == ["reduce_or"]
    assert names(in_stages(lambda x: x.sum(0), np.ones((37, 512), np.float32))) == ["reduce_sum"]


def test_unused_results_are_left_out():
    """An operand whose second use does not affect the results counts as used once."""

    def run(x):
        y = x * 2
        jnp.tanh(y)
        return y.sum()

    assert "reduce_window_sum" not in names(in_stages(run, np.ones((64, 512), np.float32)))


def test_sums_are_more_exact():
    """The error of a sum of a million equal numbers is that of a few additions."""
    x = np.full((2**20,), 0.1, np.float32)
    (got,) = computed(in_stages(lambda x: x.sum(), x), x)
    assert abs(got - x.astype(np.float64).sum()) / got < 5e-7
