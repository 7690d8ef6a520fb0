"""Decompositions of stacks of matrices begin one after another."""

import itertools
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.core.jax_internals import Var, jaxpr_as_fun
from sporax._src.runtime.xla_kernels import lapack_order
from sporax._src.runtime.xla_kernels.rewrite import rewrite


def stacks(count, size, dtype=np.float32):
    rng = np.random.default_rng(0)
    squares = [rng.normal(size=(3, size, size)) for _ in range(count)]
    return [(x @ x.mT + size * np.eye(size)).astype(dtype) for x in squares]


def of_each(function):
    return lambda xs: [function(x) for x in xs]


def in_loops(xs):
    return [jax.lax.fori_loop(0, 2, lambda i, y: jnp.linalg.cholesky(y @ y.mT), x) for x in xs]


PROGRAMS = {
    "cholesky": (of_each(jnp.linalg.cholesky), np.float32),
    "complex cholesky": (of_each(jnp.linalg.cholesky), np.complex64),
    "eigh": (of_each(lambda x: jnp.linalg.eigh(x)[0]), np.float64),
    "solve": (of_each(lambda x: jnp.linalg.solve(x, x[..., :1])), np.float32),
    "loops": (in_loops, np.float32),
    "a constant among the results": (lambda xs: [*map(jnp.linalg.cholesky, xs), 2.0], np.float32),
}


def decompositions(jaxpr):
    """[(the equation, all variables that it depends on)]"""
    reach, found = {}, []
    for eqn in jaxpr.eqns:
        before = set().union(*(reach.get(v, {v}) for v in eqn.invars if isinstance(v, Var)))
        reach.update({v: before | {v} for v in eqn.outvars})
        if lapack_order.is_of_stack(eqn) or eqn.primitive.name in ("scan", "while"):
            found.append((eqn, before))
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_waits_for_the_one_before_it(name):
    program, dtype = PROGRAMS[name]
    arrays = stacks(4, 5, dtype)
    closed = jax.make_jaxpr(program)(arrays)
    ordered = rewrite(closed)
    found = decompositions(ordered.jaxpr)
    assert len(found) >= 4
    for (first, _), (_, before) in itertools.pairwise(found):
        assert before.intersection(first.outvars)
    results = jax.jit(jaxpr_as_fun(ordered))(*arrays)
    for got, wanted in zip(results, program(arrays), strict=True):
        np.testing.assert_allclose(got, wanted, 1e-4, 1e-4)


def test_what_is_not_used_stays_unused():
    def first(xs):
        jnp.linalg.cholesky(xs[0])
        return [jnp.linalg.cholesky(x) for x in xs[1:]]

    ordered = rewrite(jax.make_jaxpr(first)(stacks(3, 4)))
    assert len(decompositions(ordered.jaxpr)) == 2


MANY = """
import numpy as np
from sporax import Tensor, jit, ops

@jit
def total(xs):
    return sum(ops.cholesky(x).sum() for x in [x @ x.swapaxes(1, 2) + 300 for x in xs])

eye = 300 * np.eye(300, dtype=np.float32)
xs = tuple(Tensor(eye + i) for i in range(30))
xs = tuple(ops.stack([x, x, x]) for x in xs)
for _ in range(5):
    total(xs).asnumpy()
"""


@pytest.mark.slow
def test_many_at_once_end():
    subprocess.run([sys.executable, "-c", MANY], check=True, timeout=300)
