"""Arrays on the way to a result: where no memory holds them, refused before a compilation."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from sporax._src.core.value import Aval
from sporax._src.runtime.engine.operation import Op

FAR = 10**13


def stored(x):
    return jnp.pad(x, ((0, FAR), (0, 0)))[:2].sum()


def over_the_length(x):
    """Each turn keeps the whole."""
    return lax.scan(lambda carried, _: (carried, x), x, None, 10**12)[1][:1].sum()


REFUSED = {
    "stored": stored,
    "stored in a loop": lambda x: lax.fori_loop(0, 3, lambda _, total: total + stored(x), 0.0),
    "stored in a branch": lambda x: lax.cond(x[0, 0] > 0, stored, jnp.sum, x),
    "stored by a loop": over_the_length,
    "more elements than can be counted": lambda x: jnp.broadcast_to(x, (2**40, 2**30, 4, 3)).sum(),
}
SHAPE = 4, 3


@pytest.mark.parametrize("name", REFUSED)
def test_an_intermediate_that_no_memory_holds_is_refused(name):
    op = Op("strange", REFUSED[name], attributes={"far": FAR})
    with pytest.raises(
        ValueError,
        match=r"For 'strange', an intermediate array must fit into memory, "
        r"but got the shape \(.*, which takes .* GB from 'far' 1.*\. Give smaller",
    ):
        op.rule((Aval.intern(SHAPE, np.dtype(np.float32)),))  # fmt: skip
    assert not op.rules


ACCEPTED = {
    "differences of all pairs, summed": (lambda x: jnp.abs(x[:, None] - x).sum((1, 2)), (10**6, 3)),
    "what is computed of each place": (lambda x: jnp.sin(jnp.arange(10**12)).sum() + x[0], (2,)),
    "no elements": (lambda x: jnp.pad(x, ((0, 0), (0, FAR))).sum(), (0, 2)),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_a_loop_computes_without_storing_it_is_accepted(name):
    function, shape = ACCEPTED[name]
    assert Op("pairs", function).rule((Aval.intern(shape, np.dtype(np.float32)),)).avals


def test_sizes_that_vary_are_looked_at_for_each_value():
    def spread(x):
        return jnp.pad(x, ((0, x.shape[0] ** 9), (0, 0)))[:1]

    op = Op("spread", spread)
    with pytest.raises(ValueError, match="an intermediate array must fit"):
        for n in (2, 3, 4, 5, 6, 7, 8, 1000):
            op.rule((Aval.intern((n, 3), np.dtype(np.float32)),))
    form, symbols = op.family.form(op, (Aval.intern((8, 3), np.dtype(np.float32)),))
    assert symbols and form.intermediates  # the seven were enough for a form of all sizes
    assert len(op.rules) == 7
