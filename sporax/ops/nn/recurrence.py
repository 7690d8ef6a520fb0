"""Recurrent cells, and what they make of sequences."""

import jax
import jax.numpy as jnp
from jax import lax

from sporax.ops.declare import OPTIONAL, Array, Arrays, op


def _simple(bend):
    def step(inner, outer, state):
        return (bend(inner + outer),)

    return step


def _lstm(inner, outer, state):
    entry, forget, new, exit = jnp.split(inner + outer, 4, -1)
    kept = jax.nn.sigmoid(forget) * state[1] + jax.nn.sigmoid(entry) * jnp.tanh(new)
    return jax.nn.sigmoid(exit) * jnp.tanh(kept), kept


def _gru(inner, outer, state):
    reset, update, new = zip(jnp.split(inner, 3, -1), jnp.split(outer, 3, -1), strict=True)
    new = jnp.tanh(new[0] + jax.nn.sigmoid(sum(reset)) * new[1])
    return (new + jax.nn.sigmoid(sum(update)) * (state[0] - new),)


# kind -> (how many times the hidden size the weights have, the next state from what comes from the
# input, what comes from the state, and the state)
KINDS = {
    "tanh": (1, _simple(jnp.tanh)),
    "relu": (1, _simple(jax.nn.relu)),
    "lstm": (4, _lstm),
    "gru": (3, _gru),
}


@op(name="recurrence", function=())
def recurrent_scan(
    x: Array, hidden: Array, cell: OPTIONAL, weight_ih: Array, weight_hh: Array, bias_ih: OPTIONAL,
    bias_hh: OPTIONAL, lengths: OPTIONAL = None, *, kind, reverse=False,
) -> Arrays:  # fmt: skip
    """States along `x` `(L, N, C)`, and the last one: `(L, N, H)`, `(N, H)` (and `(N, H)` of lstm).

    `hidden` (and `cell`) `(N, H)`: the first state; `weight_ih` `(g H, C)`, `weight_hh` `(g H, H)`,
    biases `(g H,)`. `lengths` `(N,)`: beyond a sequence's end the state stays, and the output is 0.
    `reverse`: from the last number of each sequence to the first.
    """
    size = hidden.shape[-1]
    gates, step = KINDS[kind]
    if x.ndim != 3 or hidden.shape != (x.shape[1], size):
        raise ValueError(
            f"'x' must be (L, N, C) and the state ({x.shape[-2]}, H), but got {x.shape} and "
            f"{hidden.shape}"
        )
    wanted = (gates * size, x.shape[-1]), (gates * size, size)
    if (weight_ih.shape, weight_hh.shape) != wanted:
        raise ValueError(
            f"the weights must have shapes {wanted[0]} and {wanted[1]}, but got {weight_ih.shape} "
            f"and {weight_hh.shape}"
        )
    inner = x @ weight_ih.T
    inner = inner if bias_ih is None else inner + bias_ih
    here = jnp.arange(len(x))[:, None] < lengths if lengths is not None else None

    def along(state, inputs):
        inner, here = inputs
        outer = state[0] @ weight_hh.T
        outer = outer if bias_hh is None else outer + bias_hh
        after = step(inner, outer, state)
        if here is None:
            return after, after[0]
        shown = jnp.where(here[:, None], after[0], 0)
        kept = zip(after, state, strict=True)
        return tuple(jnp.where(here[:, None], new, old) for new, old in kept), shown

    first = (hidden,) if cell is None else (hidden, cell)
    last, shown = lax.scan(along, first, (inner, here), reverse=reverse)
    return shown, *last


@op(name="recurrent_cell", function=())
def recurrent_cell(
    x: Array, hidden: Array, cell: OPTIONAL, weight_ih: Array, weight_hh: Array, bias_ih: OPTIONAL,
    bias_hh: OPTIONAL, *, kind,
) -> Array | Arrays:  # fmt: skip
    """One step: the state `(N, H)` (and `(N, H)` of lstm) after `x` `(N, C)`."""
    if x.shape[-1:] != weight_ih.shape[1:] or hidden.shape[-1:] != weight_hh.shape[1:]:
        raise ValueError(
            f"the last axes of input and state must be {weight_ih.shape[1]} and "
            f"{weight_hh.shape[1]}, but got shapes {x.shape} and {hidden.shape}"
        )
    inner, outer = x @ weight_ih.T, hidden @ weight_hh.T
    if bias_ih is not None:
        inner, outer = inner + bias_ih, outer + bias_hh
    state = KINDS[kind][1](inner, outer, (hidden, cell))
    return state if len(state) > 1 else state[0]
