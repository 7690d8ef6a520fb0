"""Barriers between operations that XLA would combine: they change no bits, and do not keep XLA from
fusing what is on both sides."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.jax_internals import jaxpr_as_fun
from sporax._src.runtime.numpy_interpreter.elementwise import ELEMENTWISE_RULES
from sporax._src.runtime.xla_kernels.constant_barriers import Barriers

DTYPES = [np.float16, jnp.bfloat16, np.float32, np.float64]


def with_barriers(function, x):
    program, _ = Barriers().put(jax.make_jaxpr(function)(x), [0])
    return program


def patterns(dtype):
    """Return bit patterns of a dtype: all of 16 bits, else random ones, with NaN and denormals."""
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    if bits.itemsize == 2:
        return np.arange(2**16, dtype=bits).view(dtype)
    rng = np.random.default_rng(0)
    some = rng.integers(0, np.iinfo(bits).max, 10_000, dtype=bits, endpoint=True)
    return np.concatenate([some, some >> 12, np.arange(10, dtype=bits)]).view(dtype)


def is_nan(x):
    with np.errstate(invalid="ignore"):  # earlier ml_dtypes warn of a signalling one
        return np.isnan(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_barrier_changes_no_bits(dtype):
    x = patterns(dtype)
    program = with_barriers(lambda x: (x * dtype(3)) * dtype(5), x)
    equation = next(e for e in program.eqns if e.primitive.name == "reduce_precision")
    barrier = jax.jit(lambda x: equation.primitive.bind(x, **equation.params))
    bits, is_number = f"u{x.itemsize}", ~is_nan(x)
    interpreted = ELEMENTWISE_RULES["reduce_precision"](equation.params, x)
    for result in (np.asarray(barrier(x)), interpreted):
        np.testing.assert_array_equal(result[is_number].view(bits), x[is_number].view(bits))
        assert is_nan(result[~is_number]).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operations_on_both_sides_are_fused(dtype):
    x = np.linspace(-1, 1, 1000, dtype=dtype)
    program = with_barriers(lambda x: jnp.exp((x * dtype(1e30)) * dtype(1e30) * dtype(7)), x)
    assert sum(e.primitive.name == "reduce_precision" for e in program.eqns) == 2
    compiled = jax.jit(jaxpr_as_fun(program)).lower(x).compile().as_text()
    assert compiled[compiled.index("\nENTRY") :].count(" fusion(") == 1


def test_the_gradient_of_lennard_jones_is_fused_as_without_barriers():
    def gradient(r2):
        inverse = 1 / r2**3
        return (2 * inverse - 1) * (-1 / (r2**3 * r2**3)) * (3 * (r2 * r2))

    x = np.linspace(1, 2, 1000, dtype=np.float32)
    program = with_barriers(gradient, x)
    texts = [
        jax.jit(f).lower(x).compile().as_text() for f in (jaxpr_as_fun(program), gradient)
    ]  # fmt: skip
    with_them, without = (text[text.index("\nENTRY") :].count(" fusion(") for text in texts)
    assert with_them <= without + 1
