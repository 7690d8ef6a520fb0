"""Recurrent cells, and their application to sequences."""

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax._src.runtime.xla_kernels.recurrence import KINDS, RECURRENCE, scanned
from sporax.ops.declare import OPTIONAL, Array, Arrays, op
from sporax.ops.operand_checks import require_shapes


@op(name="recurrence", function=())
def recurrent_scan(
    x: Array, hidden: Array, cell: OPTIONAL, weight_ih: Array, weight_hh: Array, bias_ih: OPTIONAL,
    bias_hh: OPTIONAL, lengths: OPTIONAL = None, *, kind, reverse=False,
) -> Arrays:  # fmt: skip
    """States along `x` `(L, N, C)`, and the last: `(L, N, H)`, `(N, H)` (and `(N, H)` for lstm).

    `hidden` (and `cell`) `(N, H)`: the initial state; `weight_ih` `(g H, C)`, `weight_hh` `(g H,
    H)`, biases `(g H,)`. `lengths` `(N,)`: beyond a sequence's end the state is kept, and the
    output is 0. `reverse`: from the last element of each sequence to the first.
    """
    size = hidden.shape[-1]
    gates = KINDS[kind][0]
    require_shapes(x=(x, "L N C"), hidden=(hidden, "N H"))
    wanted = [(gates * size, x.shape[-1]), (gates * size, size)]
    shapes = [weight_ih.shape, weight_hh.shape]
    require(shapes == wanted, "weights-shapes", wanted=wanted, got=shapes)
    state = (hidden,) if cell is None else (hidden, cell)
    biases = [b for b in (bias_ih, bias_hh) if b is not None]
    if len(biases) == 1:
        biases = [jnp.zeros_like(biases[0]) if b is None else b for b in (bias_ih, bias_hh)]
    operands = x, *state, weight_ih, weight_hh, *biases
    dtypes = {operand.dtype for operand in operands}
    if lengths is not None or len(dtypes) > 1 or not jnp.issubdtype(x.dtype, jnp.floating):
        return tuple(scanned(*operands, kind=kind, reverse=reverse, lengths=lengths))
    return tuple(RECURRENCE.bind(*operands, kind=kind, reverse=reverse))


@op(name="recurrent_cell", function=())
def recurrent_cell(
    x: Array, hidden: Array, cell: OPTIONAL, weight_ih: Array, weight_hh: Array, bias_ih: OPTIONAL,
    bias_hh: OPTIONAL, *, kind,
) -> Array | Arrays:  # fmt: skip
    """One step: the state `(N, H)` (and `(N, H)` for lstm) after `x` `(N, C)`."""
    wanted = [weight_ih.shape[1:], weight_hh.shape[1:]]
    fits = [x.shape[-1:], hidden.shape[-1:]] == wanted
    require(fits, "last-axes-input-state", wanted=wanted, got=[x.shape, hidden.shape])
    inner, outer = x @ weight_ih.T, hidden @ weight_hh.T
    if bias_ih is not None:
        inner, outer = inner + bias_ih, outer + bias_hh
    state = KINDS[kind][1](inner, outer, (hidden, cell))
    return state if len(state) > 1 else state[0]
