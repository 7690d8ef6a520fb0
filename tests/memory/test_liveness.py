"""The simulated peak of jaxprs: by hand, and beside XLA's own plan."""

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from sporax._src.runtime.memory.liveness import peak

N = 4 * 64 * 64  # bytes of one matrix


def matrices(n, *shape):
    return [jax.ShapeDtypeStruct(shape or (64, 64), jnp.float32)] * n


def of(function, *specs, donated=()):
    return peak(jax.make_jaxpr(function)(*specs), donated)


def gradient_step(w, x):
    return w - 0.1 * jax.grad(lambda w: (jnp.tanh(x @ w) @ w).sum())(w)


@pytest.mark.parametrize(
    ("function", "count", "donated", "results", "temporaries"),
    [
        (lambda x: x * 2 + 1, 1, (), N, 0),  # one loop
        (lambda x: x * 2 + 1, 1, (0,), 0, 0),  # in place
        (lambda x: jnp.tanh(x) @ x, 1, (), N, N),  # a product reads stored arrays
        (lambda x: (x @ x) @ x, 1, (), N, N),
        (lambda x: ((x @ x) @ x) @ x, 1, (), N, 2 * N),
        (lambda x: jnp.sin((x @ x) @ x) @ x, 1, (), N, 2 * N),  # sin in place
        (lambda x, y: (x @ y) + (x @ y), 2, (), N, N),  # equal products once
        (lambda x: lax.optimization_barrier(x @ x).reshape(-1) * 2, 1, (), N, N),
        (lambda x: jax.jit(jnp.tanh)(x) @ x, 1, (), N, N),
        (lambda x: lax.fori_loop(0, 3, lambda _, y: (y @ y) @ y, x), 1, (), N, N),
        (lambda x: lax.cond(True, lambda x: (x @ x) @ x, lambda x: x, x), 1, (), N, N),
    ],
)
def test_by_hand(function, count, donated, results, temporaries):
    found = of(function, *matrices(count), donated=donated)
    assert found.arguments == count * N
    assert (found.results, found.temporaries) == (results, pytest.approx(temporaries, abs=16))
    assert found.bytes == found.arguments + found.results + found.temporaries
    assert sum(array.bytes for array in found.arrays) == found.temporaries


def layer(x, w):
    return jnp.tanh(jnp.sin(x @ w) @ w)


@jax.custom_vjp
def recomputed(x, w):
    return layer(x, w)


recomputed.defvjp(
    lambda x, w: (layer(x, w), (x, w)),
    lambda kept, ct: jax.vjp(layer, *lax.optimization_barrier(kept))[1](ct),
)


def test_recomputation_lowers_the_peak():
    def loss(w, x, layer):
        for _ in range(8):
            x = layer(x, w)
        return x.sum()

    plain, less = (
        of(jax.grad(lambda w, x, f=f: loss(w, x, f)), *matrices(2)).temporaries
        for f in (layer, recomputed)
    )
    assert less < 0.75 * plain


def chain(*weights):
    *weights, x, y = weights

    def loss(weights):
        z = x
        for w in weights:
            z = jnp.tanh(z @ w)
        return ((z - y) ** 2).mean()

    return [w - 0.1 * g for w, g in zip(weights, jax.grad(loss)(weights), strict=True)]


def scanned(w, x):
    return jax.grad(lambda w: lax.scan(lambda c, z: (jnp.tanh(c @ w + z), c), x[0], x)[1].sum())(w)


@pytest.mark.parametrize(
    ("function", "specs", "donated"),
    [
        (chain, [*matrices(6), *matrices(2, 256, 64)], range(6)),
        (gradient_step, matrices(2), (0,)),
        (scanned, [*matrices(1), *matrices(1, 100, 32, 64)], ()),
    ],
)
def test_beside_xla(function, specs, donated):
    found = of(function, *specs, donated=donated)
    run = jax.jit(function, donate_argnums=tuple(donated))
    sizes = run.lower(*specs).compile().memory_analysis()
    assert found.arguments == sizes.argument_size_in_bytes
    total = found.arguments + sizes.output_size_in_bytes - sizes.alias_size_in_bytes
    assert found.bytes == pytest.approx(total + sizes.temp_size_in_bytes, rel=0.35)
