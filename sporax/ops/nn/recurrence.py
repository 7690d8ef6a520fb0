"""Recurrent cells, and what they make of sequences."""

import functools

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_derivatives import SymbolicZero

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
    gates = KINDS[kind][0]
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
    outer = None
    if kind == "gru":
        outer = jnp.zeros(gates * size, x.dtype) if bias_hh is None else bias_hh
    elif bias_hh is not None:
        inner = inner + bias_hh
    first = (hidden,) if cell is None else (hidden, cell)
    is_inside = None if lengths is None else jnp.arange(len(x))[:, None, None] < lengths[:, None]
    states, last = _scan(kind, reverse, inner, outer, first, weight_hh, is_inside)
    return states if is_inside is None else jnp.where(is_inside, states, 0), *last


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _scan(kind, reverse, inner, outer, first, weight, is_inside):
    """(hidden states along the sequence, the last state).

    `inner` `(L, N, g H)`: what comes from the input. `outer`: what is added to `state @ weight.T`,
    where that is not the same as adding it to `inner`; one `(g H,)` for all steps or `(L, N, g H)`.
    """
    step, each = KINDS[kind][1], outer is not None and outer.ndim == 3

    def along(state, xs):
        inner, is_inside, term = xs
        term = term if each else outer
        product = state[0] @ weight.T
        after = step(inner, product if term is None else product + term, state)
        if is_inside is not None:
            pairs = zip(after, state, strict=True)
            after = tuple(jnp.where(is_inside, new, old) for new, old in pairs)
        return after, after[0]

    xs = inner, is_inside, outer if each else None
    last, states = lax.scan(along, first, xs, reverse=reverse)
    return states, last


@functools.partial(_scan.defjvp, symbolic_zeros=True)
def _scan_jvp(kind, reverse, primals, tangents):
    """The scan is linearised with the weight held fixed; what the weight's tangent adds to each
    step is one product over all steps. So is, transposed, the gradient of the weight: a plain scan
    adds it up step by step, which takes the time of reading and writing it as often."""
    inner, outer, first, weight, is_inside = primals
    d_inner, d_outer, d_first, d_weight = jax.tree.map(_instantiated, tangents[:4])
    if outer is not None:
        outer = jnp.broadcast_to(outer, inner.shape)
        d_outer = jnp.broadcast_to(d_outer, inner.shape)
    run = functools.partial(_scan.fun, kind, reverse, weight=weight, is_inside=is_inside)
    (states, last), linear = jax.linearize(run, inner, outer, first)
    if not isinstance(tangents[3], SymbolicZero):
        before = [states[1:], first[0][None]] if reverse else [first[0][None], states[:-1]]
        term = jnp.concatenate(before) @ d_weight.T
        if outer is None:
            d_inner = d_inner + term
        else:
            d_outer = d_outer + term
    return (states, last), linear(d_inner, d_outer, d_first)


def _instantiated(tangent):
    if not isinstance(tangent, SymbolicZero):
        return tangent
    return jnp.zeros(tangent.aval.shape, tangent.aval.dtype)


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
