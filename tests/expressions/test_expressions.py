"""Random expressions over masks, casts, constants, powers, reductions and edge values: both
executors, dynamic and captured code, give NumPy's value."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sporax._src.runtime.engine import operation
from sporax._src.runtime.xla_kernels import constant_barriers
from tests.expressions import agreement, ways
from tests.expressions.writer import Expression


@pytest.mark.parametrize("seed", range(15))
def test_expressions(seed):
    failed = agreement.failures(seed, 20)
    assert not failed, "\n".join(f"{way}: {expression}: {at}" for expression, way, at in failed)


def _of(name, *operands):
    of_kinds = [Expression("n", o) if isinstance(o, float) else o for o in operands]
    return Expression("f", name, tuple(of_kinds))


X, Y = _of("x"), _of("y")
FOUND = [  # in nights of other seeds: XLA computed what is not written
    _of("add_number", X, 0.0), _of("sub_number", X, -0.0), _of("sub_number", _of("sign", X), 1e-45),
    _of("log", _of("rsqrt", X)), _of("div", X, _of("mean", _of("number_div", _of("max", Y), 0.1))),
]  # fmt: skip


@pytest.mark.parametrize("expression", FOUND, ids=str)
def test_expressions_that_differed(expression):
    _, arrays = agreement.drawn(0, 1)
    check = agreement.Expected(expression, arrays)
    found = ways.values([expression], arrays)
    assert {way: check.difference(value) for way, (value,) in found.items()} == dict.fromkeys(found)


def test_a_constant_zero_is_a_constant_too():
    found = jax.make_jaxpr(lambda x, y: (1 - x) + jnp.exp(y) * 1e-8)(np.ones(3), np.float64(0))
    constant, zero = (
        str(constant_barriers.Barriers().put(found, [0, kind])[0])
        for kind in (constant_barriers.CONSTANT, constant_barriers.kind_of(np.float64(0)))
    )
    assert zero == constant != str(found)


def test_programs_without_barriers_are_found(monkeypatch):
    def without(rule, kinds):
        return rule.run, [constant_barriers.ANY] * len(rule.avals)

    monkeypatch.setattr(operation.Rule, "with_barriers", without)
    ways = {way for seed in range(5) for _, way, _ in agreement.failures(seed, 20)}
    assert ways and "interpreted" not in ways
