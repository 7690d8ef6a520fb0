"""Recurrent layers as Primitives: all weights in one or two matrices, and every gate returned."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.nn.recurrence import recurrent_scan
from sporax.ops.operand_checks import require_shapes
from sporax.ops.random.dropout import dropout
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import concat, stack


def _same_dtype(*arrays) -> list[Any]:
    """Promote the arrays to a common dtype; None stays None."""
    dtype = functools.reduce(jnp.promote_types, [a.dtype for a in arrays if a is not None])
    return [None if a is None else a.astype(dtype) for a in arrays]


def _expect(name, array, shape):
    if array is not None and array.shape != shape:
        raise rejection("shape-shape-size", argument=name, shape=shape, got=array.shape)


@op(function=(), name="DynamicRNN")
def lstm_with_gates(
    x: Array, weight: Array, bias: Array, hidden: Array, cell: Array, projection: OPTIONAL = None,
    forget_bias=0.0,
) -> Arrays:  # fmt: skip
    r"""An LSTM along `x` `(L, N, C)`: states h and c, gates i, j, f, o, and tanh(c), `(L, N, H)`
    each.

    `weight` `(C + H, 4 H)`: first for x, then for the state; columns for the input gate i, the new
    content j, the forget gate f and the output gate o. `bias` `(4 H,)`, `hidden`, `cell` `(N, H)`.
    `forget_bias`: added to the bias of f. `projection` `(P, H)`: states h are $P h$.
    """
    require_shapes(x=(x, "L N C"), init_c=(cell, "n H"))
    _, batch, inputs = x.shape
    size, state = cell.shape[1], hidden.shape[-1]
    _expect("init_h", hidden, (batch, state if projection is not None else size))
    _expect("init_c", cell, (batch, size))
    _expect("w", weight, (inputs + state, 4 * size))
    _expect("b", bias, (4 * size,))
    _expect("projection", projection, (state, size))
    dtypes = x.dtype, bias.dtype
    x, weight, bias, hidden, cell, projection = _same_dtype(
        x, weight, bias, hidden, cell, projection
    )

    def step(states, x):
        hidden, cell = states
        gates = jnp.concatenate([x, hidden], -1) @ weight + bias
        i, j, f, o = jnp.split(gates, 4, -1)
        i, f, o = map(jax.nn.sigmoid, (i, f + forget_bias, o))
        j = jnp.tanh(j)
        cell = f * cell + i * j
        bent = jnp.tanh(cell)
        hidden = o * bent if projection is None else (o * bent) @ projection.T
        return (hidden, cell), (hidden, cell, i, j, f, o, bent)

    outputs = lax.scan(step, (hidden, cell), x)[1]
    return (outputs[0].astype(dtypes[0]), *[a.astype(dtypes[1]) for a in outputs[1:]])


@op(function=(), name="DynamicGRUV2")
def gru_with_gates(
    x: Array, weight_input: Array, weight_hidden: Array, bias_input: OPTIONAL,
    bias_hidden: OPTIONAL, init_h: Array, gate_order="rzh", reset_after=True,
) -> Arrays:  # fmt: skip
    """A GRU along `x` `(L, N, C)`: states, gates z and r, new contents n and their part from the
    state, `(L, N, H)` each. `weight_input` `(C, 3 H)`, `weight_hidden` `(H, 3 H)` and the biases
    `(3 H,)` have the gates in `gate_order`."""
    require_shapes(x=(x, "L N C"), init_h=(init_h, "n H"))
    size = init_h.shape[1]
    _expect("init_h", init_h, (x.shape[1], size))
    _expect("weight_input", weight_input, (x.shape[2], 3 * size))
    _expect("weight_hidden", weight_hidden, (size, 3 * size))
    _expect("bias_input", bias_input, (3 * size,))
    _expect("bias_hidden", bias_hidden, (3 * size,))
    dtype = next(b.dtype for b in (bias_input, bias_hidden, init_h) if b is not None)
    x, inner, outer, init_h, *biases = _same_dtype(
        x, weight_input, weight_hidden, init_h, bias_input, bias_hidden
    )
    of_input, of_hidden = [jnp.zeros(3 * size, x.dtype) if b is None else b for b in biases]
    first, second = (0, 1) if gate_order == "rzh" else (1, 0)

    def step(hidden, x):
        a = jnp.split(x @ inner + of_input, 3, -1)
        gates = hidden @ outer[:, : 2 * size] + of_hidden[: 2 * size]
        b = jnp.split(gates, 2, -1)
        r, z = jax.nn.sigmoid(a[first] + b[first]), jax.nn.sigmoid(a[second] + b[second])
        last, shift = outer[:, 2 * size :], of_hidden[2 * size :]
        new = hidden @ last + shift if reset_after else (r * hidden) @ last + shift
        n = jnp.tanh(a[2] + (r * new if reset_after else new))
        hidden = (1 - z) * n + z * hidden
        return hidden, (hidden, z, r, n, new)

    return tuple([a.astype(dtype) for a in lax.scan(step, init_h, x)[1]])


# the Primitives -----------------------------------------------------------------------------------


def _only(who, **settings):
    """Raise ValueError for a setting that MindSpore's kernel does not support."""
    for name, (value, *allowed) in settings.items():
        if value not in allowed or (isinstance(allowed[0], bool) != isinstance(value, bool)):
            choices = [*map(repr, allowed)]
            raise rejection("mindspore-s-kernel", who, argument=name, choices=choices, got=value)


@composite(
    function=(), op="lstm_with_gates",
    primitive="DynamicRNN(cell_type='LSTM', direction='UNIDIRECTIONAL', cell_depth=1, "
    "use_peephole=False, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True, "
    "activation='tanh', forget_bias=0.0, is_training=True)(x, w, b, seq_length, init_h, init_c)",
)  # fmt: skip
def dynamic_rnn(
    x, w, b, seq_length, init_h, init_c, cell_type="LSTM", direction="UNIDIRECTIONAL",
    cell_depth=1, use_peephole=False, keep_prob=1.0, cell_clip=-1.0, num_proj=0, time_major=True,
    activation="tanh", forget_bias=0.0, is_training=True,
) -> Arrays:  # fmt: skip
    r"""An LSTM along `x` `(L, N, C)`: y, and each step's states h and c, gates i, j, f, o and
    tanh(c), `(L, N, H)` each.

    $c_{t+1} = f c_t + i j$, $h_{t+1} = o \tanh c_{t+1}$; $(i, j, f, o)$ are $(\sigma, \tanh,
    \sigma, \sigma)$ of $[x_{t+1}, h_t] w + b$, `w` `(C + H, 4 H)`, `b` `(4 H,)`; `forget_bias` is
    added in f. `init_h`, `init_c` `(1, N, H)`; `seq_length` is None. Other settings must have the
    default shown.

    >>> x, w, b = ops.ones((5, 2, 3)), ops.ones((7, 16)), ops.zeros((16,))
    >>> y, *rest = ops.DynamicRNN()(x, w, b, None, ops.zeros((1, 2, 4)), ops.zeros((1, 2, 4)))
    >>> y.shape, len(rest)
    ((5, 2, 4), 7)
    """
    _only(
        "DynamicRNN", cell_type=(cell_type, "LSTM"), direction=(direction, "UNIDIRECTIONAL"),
        cell_depth=(cell_depth, 1), use_peephole=(use_peephole, False), keep_prob=(keep_prob, 1.0),
        cell_clip=(cell_clip, -1.0), num_proj=(num_proj, 0), time_major=(time_major, True),
        activation=(activation, "tanh"), seq_length=(seq_length, None),
    )  # fmt: skip
    h, *others = lstm_with_gates(x, w, b, init_h[0], init_c[0], forget_bias=forget_bias)
    return h.astype(b.dtype), h, *others


@composite(
    function=(), op="lstm_with_gates",
    primitive="BasicLSTMCell(keep_prob=1.0, forget_bias=1.0, state_is_tuple=True, "
    "activation='tanh')(x, h, c, w, b)",
)  # fmt: skip
def basic_lstm_cell(
    x, h, c, w, b, keep_prob=1.0, forget_bias=1.0, state_is_tuple=True, activation="tanh"
) -> Arrays:
    """One step of `DynamicRNN`: the states c and h, the gates i, j, f, o, and tanh(c), `(N, H)`.

    `x` `(N, C)`; `h`, `c` `(N, H)`; `w` `(C + H, 4 H)`; `b` `(4 H,)`.

    >>> state = ops.zeros((2, 4))
    >>> cell = ops.BasicLSTMCell()
    >>> cell(ops.ones((2, 3)), state, state, ops.ones((7, 16)), ops.zeros((16,)))[0].shape
    (2, 4)
    """
    _only("BasicLSTMCell", keep_prob=(keep_prob, 1.0), activation=(activation, "tanh"),
          state_is_tuple=(state_is_tuple, True))  # fmt: skip
    outputs = lstm_with_gates(x.expand_dims(0), w, b, h, c, forget_bias=forget_bias)
    after, kept, *gates = [t[0] for t in outputs]
    return kept, after, *gates


@composite(
    function=(), op="gru_with_gates",
    primitive="DynamicGRUV2(direction='UNIDIRECTIONAL', cell_depth=1, keep_prob=1.0, "
    "cell_clip=-1.0, num_proj=0, time_major=True, activation='tanh', gate_order='rzh', "
    "reset_after=True, is_training=True)(x, weight_input, weight_hidden, bias_input, bias_hidden, "
    "seq_length, init_h)",
)  # fmt: skip
def dynamic_gru(
    x, weight_input, weight_hidden, bias_input, bias_hidden, seq_length, init_h,
    direction="UNIDIRECTIONAL", cell_depth=1, keep_prob=1.0, cell_clip=-1.0, num_proj=0,
    time_major=True, activation="tanh", gate_order="rzh", reset_after=True, is_training=True,
) -> Arrays:  # fmt: skip
    r"""A GRU along `x` `(L, N, C)`: y, and each step's state h, gates z and r, new contents n and
    $W_{hn} h + b_{hn}$, `(L, N, H)` each.

    $h_{t+1} = (1 - z) n + z h_t$, $n = \tanh(W_{in} x + b_{in} + r (W_{hn} h_t + b_{hn}))$, or with
    $W_{hn} (r h_t) + b_{hn}$ unless `reset_after`. `weight_input` `(C, 3 H)`, `weight_hidden` `(H,
    3 H)` and the biases `(3 H,)` or None have the gates in the order `gate_order`, 'rzh' or 'zrh'.
    `init_h` `(N, H)`; `seq_length` is None. Other settings must have the default shown.

    >>> x, w, u = ops.ones((5, 2, 3)), ops.ones((3, 12)), ops.ones((4, 12))
    >>> ops.DynamicGRUV2()(x, w, u, None, None, None, ops.zeros((2, 4)))[0].shape
    (5, 2, 4)
    """
    _only(
        "DynamicGRUV2", direction=(direction, "UNIDIRECTIONAL"), cell_depth=(cell_depth, 1),
        keep_prob=(keep_prob, 1.0), cell_clip=(cell_clip, -1.0), num_proj=(num_proj, 0),
        time_major=(time_major, True), activation=(activation, "tanh"),
        gate_order=(gate_order, "rzh", "zrh"), seq_length=(seq_length, None),
    )  # fmt: skip
    h, *others = gru_with_gates(
        x, weight_input, weight_hidden, bias_input, bias_hidden, init_h, gate_order,
        bool(reset_after),
    )  # fmt: skip
    return h, h, *others


def _parameters(w, shapes, directions, biases, projected):
    """Return (w_ih, w_hh, biases, projection) for each layer and direction from the elements of
    `w`: all matrices, of each layer first the input's, then the biases, one or two of each, then
    the projections."""
    flat, offset = w.reshape(-1), 0

    def take(*shape):
        nonlocal offset
        count = functools.reduce(int.__mul__, shape)
        offset += count
        return flat[offset - count : offset].reshape(shape)

    matrices = []
    for inputs, state, h in shapes[::directions]:
        inner = [take(4 * h, inputs) for _ in range(directions)]
        matrices += [(matrix, take(4 * h, state)) for matrix in inner]
    added = [[take(4 * h) for _ in range(biases)] for *_, h in shapes]
    out = [take(state, h) if projected else None for _, state, h in shapes]
    return [(*m, b, p) for m, b, p in zip(matrices, added, out, strict=True)]


def _layer(x, h, c, parameters, reverse):
    """Return (outputs, last h, last c) of one layer in one direction."""
    inner, outer, biases, projection = parameters
    if projection is None:
        both = [*biases, None, None][:2]
        return recurrent_scan(x, h, c, inner, outer, *both, kind="lstm", reverse=reverse)
    order = [0, 2, 1, 3]  # i, f, j, o as i, j, f, o
    size = c.shape[1]
    weight = concat((inner, outer), 1).reshape(4, size, -1)[order].reshape(4 * size, -1).T
    bias: Any = sum(biases) if biases else zeros((4 * size,), x.dtype)
    bias = bias.reshape(4, size)[order].reshape(-1)
    x = x.flip((0,)) if reverse else x
    states, cells, *_ = lstm_with_gates(x, weight, bias, h, c, projection)
    return states.flip((0,)) if reverse else states, states[-1], cells[-1]


@composite(
    function=(), op="recurrent_scan",
    primitive="LSTM(input_size, hidden_size, num_layers, has_bias, bidirectional, dropout, "
    "proj_size=0)(input, h, c, w)",
)  # fmt: skip
def lstm_of_class(
    input, h, c, w, input_size, hidden_size, num_layers, has_bias, bidirectional, dropout,
    proj_size=0,
) -> Arrays:  # fmt: skip
    """Layers of LSTM along `input` `(L, N, C)`: outputs `(L, N, D H)` with D directions, the last
    states h and c `(layers D, N, H)`, and two unused Tensors (zeros).

    `w`: the elements of each layer's weights, `(4 H, C)` of each direction and `(4 H, H)` of each,
    with gates in the order input, forget, new, output; then, if `has_bias`, of the biases, one or
    two `(4 H,)` for each direction; then, if `proj_size` P is not 0, of the projections `(P, H)` of
    states h. `dropout`: the probability that an output of a layer but the last is 0.

    >>> lstm, state = ops.LSTM(3, 2, 1, False, False, 0.0), ops.zeros((1, 4, 2))
    >>> lstm(ops.ones((5, 4, 3)), state, state, ops.ones((40, 1, 1)))[0].shape
    (5, 4, 2)
    """
    require(num_layers <= w.size, "layers-of-weights", num_layers=num_layers)
    directions, state = 1 + bidirectional, proj_size or hidden_size
    shapes = [
        (input_size if layer == 0 else directions * state, state, hidden_size)
        for layer in range(num_layers) for _ in range(directions)
    ]  # fmt: skip
    matrices = sum(4 * n * (i + s) + bool(proj_size) * s * n for i, s, n in shapes)
    one = 4 * hidden_size * len(shapes)
    counts = [matrices + one * n for n in ((1, 2) if has_bias else (0,))]
    require(w.size in counts, "elements-of-counts", "LSTM", w=w.shape, counts=counts)
    parameters = _parameters(w, shapes, directions, (w.size - matrices) // one, bool(proj_size))
    lasts, out = [], input
    for layer in range(num_layers):
        if layer and dropout:
            out = _dropped(out, dropout)
        indices = range(layer * directions, (layer + 1) * directions)
        results = [_layer(out, h[p], c[p], parameters[p], p % directions == 1) for p in indices]
        lasts += [final for _, *final in results]
        out = concat([states for states, *_ in results], -1) if bidirectional else results[0][0]
    h, c = (stack([last[i] for last in lasts]) for i in (0, 1))
    return out, h, c, zeros((1, 1), input.dtype), zeros((1, 1), input.dtype)


_dropped = dropout  # a parameter has that name
