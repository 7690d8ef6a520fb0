"""Random expressions over masks, casts, constants, powers, reductions and edge values: both
executors, dynamic and captured code, give NumPy's value."""

import pytest

from sporax.engine import operation
from sporax.xla_kernels import constant_barriers
from tests.expressions import agreement


@pytest.mark.parametrize("seed", range(15))
def test_expressions(seed):
    failed = agreement.failures(seed, 20)
    assert not failed, "\n".join(f"{way}: {expression}: {at}" for expression, way, at in failed)


def test_programs_without_barriers_are_found(monkeypatch):
    def without(rule, kinds):
        return rule.run, [constant_barriers.ANY] * len(rule.avals)

    monkeypatch.setattr(operation.Rule, "with_barriers", without)
    ways = {way for seed in range(5) for _, way, _ in agreement.failures(seed, 20)}
    assert ways and "interpreted" not in ways
