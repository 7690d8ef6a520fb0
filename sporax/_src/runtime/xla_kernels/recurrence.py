"""Recurrent layers along sequences, as JAX primitives.

`RECURRENCE` computes one layer in one direction, `BACKWARD` its gradients, `TANGENT` its
forward-mode derivative. Each is lowered as a scan; `xla_kernels.rewrite` and the interpreter
compute the first two with oneDNN. `BACKWARD` and `TANGENT` are differentiated as scans.

Operands: `x` `(L, N, C)`, `hidden` `(N, H)` and for 'lstm' `cell` `(N, H)`, `weight_ih` `(g H, C)`,
`weight_hh` `(g H, H)`, and, if there are biases, `bias_ih` and `bias_hh` `(g H,)`; all of one
floating dtype. Parameters: `kind`, a key of `KINDS`, and `reverse`. Results: the hidden states
`(L, N, H)` and the last state `(N, H)`, for 'lstm' hidden and cell.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.core import ShapedArray
from jax.custom_derivatives import SymbolicZero

from sporax._src.core.jax_internals import Primitive, ad, batching, mlir


def _simple(activation):
    def step(inner, outer, state):
        return (activation(inner + outer),)

    return step


def _lstm(inner, outer, state):
    entry, forget, new, exit = jnp.split(inner + outer, 4, -1)
    kept = jax.nn.sigmoid(forget) * state[1] + jax.nn.sigmoid(entry) * jnp.tanh(new)
    return jax.nn.sigmoid(exit) * jnp.tanh(kept), kept


def _gru(inner, outer, state):
    reset, update, new = zip(jnp.split(inner, 3, -1), jnp.split(outer, 3, -1), strict=True)
    new = jnp.tanh(new[0] + jax.nn.sigmoid(sum(reset)) * new[1])
    return (new + jax.nn.sigmoid(sum(update)) * (state[0] - new),)


# kind -> (the number of gates g, a function that returns the next state from the input's term, the
# state's term, and the state)
KINDS = {
    "tanh": (1, _simple(jnp.tanh)),
    "relu": (1, _simple(jax.nn.relu)),
    "lstm": (4, _lstm),
    "gru": (3, _gru),
}


# as a scan --------------------------------------------------------------------------------------


def scanned(*operands, kind, reverse, lengths=None):
    """Return the results of `RECURRENCE`, computed by a scan. `lengths` `(N,)`: beyond a sequence's
    end the state is unchanged and the output is 0."""
    x, first, weight_ih, weight_hh, bias = unpacked(kind, operands)
    inner, outer = x @ weight_ih.T, None
    if bias:
        inner = inner + bias[0]
    if kind == "gru":
        outer = bias[1] if bias else jnp.zeros(len(weight_hh), x.dtype)
    elif bias:
        inner = inner + bias[1]
    is_inside = None if lengths is None else jnp.arange(len(x))[:, None, None] < lengths[:, None]
    states, last = _scan(kind, reverse, inner, outer, first, weight_hh, is_inside)
    return [states if is_inside is None else jnp.where(is_inside, states, 0), *last]


def unpacked(kind, operands):
    """Return (x, (hidden,) or (hidden, cell), weight_ih, weight_hh, () or both biases)."""
    n = 3 if kind == "lstm" else 2
    return operands[0], tuple(operands[1:n]), *operands[n : n + 2], operands[n + 2 :]


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _scan(kind, reverse, inner, outer, first, weight, is_inside):
    """Return (hidden states along the sequence, the last state).

    `inner` `(L, N, g H)`: the input's term. `outer`: a term added to `state @ weight.T`, if adding
    it to `inner` is not equivalent; `(g H,)` for all steps, or `(L, N, g H)`.
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
    """Linearise the scan with the weight held fixed; the terms of the weight's tangent are one
    product over all steps. So is its transpose, the gradient of the weight: a plain scan sums it
    step by step, reading and writing it each time."""
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
    aval: Any = tangent.aval
    return jnp.zeros(aval.shape, aval.dtype)


def _scanned_tangent(*arrays, **params):
    n = len(arrays) // 2
    return jax.jvp(functools.partial(scanned, **params), arrays[n:], arrays[:n])[1]


def _scanned_backward(*arrays, **params):
    n = count_of_operands(len(arrays), params["kind"])
    pull = jax.vjp(functools.partial(scanned, **params), *arrays[:n])[1]
    return list(pull(list(arrays[n:])))


# the primitives ---------------------------------------------------------------------------------


def _n_results(kind):
    return 3 if kind == "lstm" else 2


def count_of_operands(count, kind):
    """Return the number of `RECURRENCE`'s operands among `BACKWARD`'s `count` operands."""
    return count - _n_results(kind)


def _states(operands, params):
    """Return the avals of the results of `RECURRENCE`."""
    x, hidden = operands[:2]
    last = ShapedArray(hidden.shape, x.dtype)
    return [ShapedArray((x.shape[0], *hidden.shape), x.dtype)] + [last] * (
        _n_results(params["kind"]) - 1
    )


def _primitive(name, form, avals):
    """Create a primitive. `form`: its computation by other primitives; `avals(operands, params)`:
    the avals of its results."""
    primitive = Primitive(name)
    primitive.multiple_results = True
    primitive.def_abstract_eval(lambda *operands, **params: avals(operands, params))
    primitive.def_impl(jax.jit(form, static_argnames=("kind", "reverse")))
    mlir.register_lowering(primitive, mlir.lower_fun(form, multiple_results=True))

    def batched(arrays, axes, **params):
        outs = jax.vmap(functools.partial(form, **params), axes)(*arrays)
        return outs, [0] * len(outs)

    batching.primitive_batchers[primitive] = batched
    return primitive


RECURRENCE = _primitive("recurrence", scanned, _states)
# operands: the tangents of RECURRENCE's operands, and the operands; results: its results' tangents
TANGENT = _primitive(
    "recurrence_tangent",
    _scanned_tangent,
    lambda operands, params: _states(operands[len(operands) // 2 :], params),
)
# operands: RECURRENCE's operands, its results' cotangents; results: its operands' cotangents
BACKWARD = _primitive(
    "recurrence_backward",
    _scanned_backward,
    lambda operands, params: [
        ShapedArray(a.shape, a.dtype)
        for a in operands[: count_of_operands(len(operands), params["kind"])]
    ],
)
# name -> its form by other primitives
SCANNED = {
    "recurrence": scanned,
    "recurrence_tangent": _scanned_tangent,
    "recurrence_backward": _scanned_backward,
}


def _recurrence_jvp(primals, tangents, **params):
    tangents = map(ad.instantiate_zeros, tangents)
    return RECURRENCE.bind(*primals, **params), TANGENT.bind(*tangents, *primals, **params)


def _tangent_transpose(cotangents, *arrays, **params):
    n = len(arrays) // 2
    gradients = BACKWARD.bind(*arrays[n:], *map(ad.instantiate_zeros, cotangents), **params)
    pairs = zip(gradients, arrays, strict=False)
    return [g if ad.is_undefined_primal(x) else None for g, x in pairs] + [None] * n


def _jvp_of_scan(primitive, form):
    def jvp(primals, tangents, **params):
        tangents = tuple(map(ad.instantiate_zeros, tangents))
        _, out_tangents = jax.jvp(functools.partial(form, **params), tuple(primals), tangents)
        return primitive.bind(*primals, **params), out_tangents

    return jvp


ad.primitive_jvps[RECURRENCE] = _recurrence_jvp
ad.primitive_jvps[TANGENT] = _jvp_of_scan(TANGENT, _scanned_tangent)
ad.primitive_jvps[BACKWARD] = _jvp_of_scan(BACKWARD, _scanned_backward)
ad.primitive_transposes[TANGENT] = _tangent_transpose
