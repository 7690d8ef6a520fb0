"""Recurrent layers: single-step cells and stacked layers over sequences."""

import math

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float16, float32, float64, int32, int64
from sporax._src.core.random import draw_on_host
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.diagnosis.sizes import check_size
from sporax._src.initializers import Uniform
from sporax._src.initializers.random_init import UniformFromNumPy
from sporax._src.runtime.xla_kernels.recurrence import KINDS
from sporax.nn.cell import Cell
from sporax.nn.dropout import Dropout
from sporax.nn.layer_inputs import TENSOR, require_last
from sporax.nn.parameter_init import parameter
from sporax.nn.parameter_tuple import ParameterTuple
from sporax.ops.nn.recurrence import recurrent_cell, recurrent_scan

_FLOATS = float16, float32, float64


def _checked(layer, **tensors):
    """Raise TypeError unless all arguments are floating Tensors."""
    for name, x in tensors.items():
        TENSOR.checked(layer, name, x)
        require(x.dtype in _FLOATS, "floating", layer, argument=name, got=x.dtype)


def _pair_of_states(layer, hx):
    is_pair = isinstance(hx, (tuple, list)) and len(hx) == 2
    require(is_pair, "tuple-two-tensors-hidden", layer, hx=hx)
    return hx


_SIZES = "'num_layers'", "'input_size'", "'hidden_size'"
_NONLINEARITY = kinds.one_of("tanh", "relu")


class RNNCellBase(Cell):
    """The Parameters of a single-step cell with `num_chunks` gates."""

    def __init__(self, input_size, hidden_size, has_bias, num_chunks, dtype=float32):
        super().__init__()
        layer = type(self).__name__
        kinds.BOOL(layer, has_bias=has_bias)
        kinds.POSITIVE_INT(layer, hidden_size=hidden_size, input_size=input_size)
        self.input_size, self.hidden_size, self.has_bias = input_size, hidden_size, has_bias
        rows = num_chunks * hidden_size
        init = Uniform(1 / math.sqrt(hidden_size))
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        self.bias_ih = self.bias_hh = None
        if has_bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        for shape in shapes.values():  # MindSpore first draws values that it then discards
            check_size(layer, shape, np.dtype(np.float64), ["'input_size'", "'hidden_size'"])
            draw_on_host(np.random.standard_normal, shape)
        for name, shape in shapes.items():
            setattr(self, name, parameter(layer, name, init, shape, dtype))


class _OneStep(RNNCellBase):
    """Base class of the single-step cells."""

    _kind: str

    def __init__(self, input_size, hidden_size, has_bias, dtype):
        super().__init__(input_size, hidden_size, has_bias, KINDS[self._kind][0], dtype)

    def _after(self, x, hidden, cell=None):
        require_last(type(self).__name__, x, input_size=self.weight_ih.shape[1])
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        return recurrent_cell(x, hidden, cell, *weights, kind=self._kind)

    def construct(self, x, hx):
        _checked(type(self).__name__, x=x, hx=hx)
        return self._after(x, hx)


class RNNCell(_OneStep):
    r"""$h' = \tanh(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})$: `(N, C)`, `(N, H)` -> `(N, H)`.

    `nonlinearity`: 'tanh' or 'relu'. Parameters start uniform in $\pm 1 / \sqrt H$.

    >>> nn.RNNCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape
    (2, 4)
    """

    _kind = "tanh"

    def __init__(
        self, input_size: int, hidden_size: int, has_bias: bool = True, nonlinearity: str = "tanh",
        dtype=float32,
    ):  # fmt: skip
        super().__init__(input_size, hidden_size, has_bias, dtype)
        _NONLINEARITY("RNNCell", nonlinearity=nonlinearity)
        self.nonlinearity = self._kind = nonlinearity


class GRUCell(_OneStep):
    r"""Gated recurrent unit (Cho et al., 2014): `(N, C)`, `(N, H)` -> `(N, H)`.

    $r, z = \sigma(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})$, $n = \tanh(W_{in} x + b_{in} + r (W_{hn}
    h + b_{hn}))$, $h' = n + z (h - n)$; the Parameters' rows are ordered r, z, n, and start
    uniform in $\pm 1 / \sqrt H$.

    >>> nn.GRUCell(3, 4)(ops.ones((2, 3)), ops.zeros((2, 4))).shape
    (2, 4)
    """

    _kind = "gru"

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=float32):
        super().__init__(input_size, hidden_size, has_bias, dtype)


class LSTMCell(_OneStep):
    r"""Long short-term memory (Hochreiter and Schmidhuber, 1997): `(N, C)`, `(h, c)` -> `(h', c')`.

    $i, f, o = \sigma(W_{ih} x + b_{ih} + W_{hh} h + b_{hh})$ and $g$ with $\tanh$;
    $c' = f c + i g$, $h' = o \tanh c'$. The Parameters' rows are ordered i, f, g, o, and start
    uniform in $\pm 1 / \sqrt H$.

    >>> h, c = nn.LSTMCell(3, 4)(ops.ones((2, 3)), (ops.zeros((2, 4)), ops.zeros((2, 4))))
    >>> h.shape
    (2, 4)
    """

    _kind = "lstm"

    def __init__(self, input_size: int, hidden_size: int, has_bias: bool = True, dtype=float32):
        super().__init__(input_size, hidden_size, has_bias, dtype)

    def construct(self, x, hx):
        hidden, cell = _pair_of_states("LSTMCell", hx)
        _checked("LSTMCell", x=x, **{"hx[0]": hidden, "hx[1]": cell})
        return self._after(x, hidden, cell)


class _OneDirection(Cell):
    """One layer in one direction; subclasses have the names in MindSpore's repr."""

    kind = None

    def construct(self, x, hidden, cell, weights, lengths, reverse):
        return recurrent_scan(x, hidden, cell, *weights, lengths, kind=self.kind, reverse=reverse)


_PRINTED = {
    "tanh": "_DynamicRNNTanh",
    "relu": "_DynamicRNNRelu",
    "gru": "_DynamicGRUCPUGPU",
    "lstm": "_DynamicLSTMCPUGPU",
}
_LAYERS = {kind: type(name, (_OneDirection,), {"kind": kind}) for kind, name in _PRINTED.items()}

_LISTS = "w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list"


class _Stack(Cell):
    """Base class of the layers over sequences."""

    _kind: str

    def __init__(
        self, input_size, hidden_size, num_layers=1, has_bias=True, batch_first=False,
        dropout=0.0, bidirectional=False, dtype=float32,
    ):  # fmt: skip
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE_INT(
            layer, hidden_size=hidden_size, input_size=input_size, num_layers=num_layers
        )
        kinds.BOOL(layer, has_bias=has_bias, batch_first=batch_first, bidirectional=bidirectional)
        kinds.within(0, 1, kinds.FLOAT, "[)")(layer, dropout=dropout)
        self.hidden_size, self.num_layers, self.has_bias = hidden_size, num_layers, has_bias
        self.batch_first, self.bidirectional, self.dropout = batch_first, bidirectional, dropout
        self.is_lstm = self._kind == "lstm"
        self.rnn = _LAYERS[self._kind]()
        self.dropout_op = Dropout(p=dropout)
        rows = KINDS[self._kind][0] * hidden_size
        shape = num_layers, rows, input_size + hidden_size
        check_size(layer, shape, np.dtype(np.float32), _SIZES)
        init = UniformFromNumPy(1 / math.sqrt(hidden_size))
        lists = {name: [] for name in _LISTS}
        for i in range(num_layers):
            seen = hidden_size * (1 + bidirectional) if i else input_size
            for suffix in ("", "_reverse")[: 1 + bidirectional]:
                shapes = (rows, seen), (rows, hidden_size), (rows,), (rows,)
                for name, shape in list(zip(_LISTS, shapes, strict=True))[: 4 if has_bias else 2]:
                    kind = "weight" if name[0] == "w" else "bias"
                    full = f"{kind}_{name[2:4]}_l{i}{suffix}"
                    lists[name].append(parameter(layer, full, init, shape, dtype, full))
        for name, parameters in lists.items():
            setattr(self, name, ParameterTuple(parameters))

    def _first_states(self, x, hx):
        """Return the initial states, each `(layers, N, H)`; zeros by default."""
        layer, batch = type(self).__name__, x.shape[0 if self.batch_first else 1]
        shape = self.num_layers * (1 + self.bidirectional), batch, self.hidden_size
        if hx is None:
            hx = (ops.zeros(shape, x.dtype),) * (1 + self.is_lstm)
        else:
            hx = _pair_of_states(layer, hx) if self.is_lstm else (hx,)
        _checked(layer, **{f"hx[{i}]": h for i, h in enumerate(hx)})
        for h in hx:
            if h.shape != shape or h.dtype != x.dtype:
                fields = {"shape": shape, "dtype": x.dtype, "dtype2": h.dtype}
                raise rejection("state-of-sequence", layer, hx=h.shape, **fields, **self._axes())
        return hx

    def _check_lengths(self, x, lengths):
        layer, shapes = type(self).__name__, [(x.shape[0 if self.batch_first else 1],)]
        dtype, dtypes = lengths.dtype, (int32, int64)
        require(dtype in dtypes, "dtype-one-of", layer, seq_length=dtype, dtypes=dtypes)
        is_one_each = lengths.shape in shapes
        require(is_one_each, "shape-one-of", layer, seq_length=lengths.shape, shapes=shapes)

    def _axes(self):
        """Return the fields of messages on the order of the input's axes."""
        axes = "(batch, length, input_size)" if self.batch_first else "(length, batch, input_size)"
        return {"batch_first": self.batch_first, "axes": axes}

    def construct(self, x, hx=None, seq_length=None):
        layer = type(self).__name__
        _checked(layer, x=x)
        require(x.ndim == 3, "number-of-dimensions", layer, x=x.shape, n=(3,))
        size = self.w_ih_list[0].shape[1]
        if x.shape[-1] != size:
            fields = {"size": size, "shape": x.shape}
            raise rejection("last-axis-of-sequence", layer, **fields, **self._axes())
        hx = self._first_states(x, hx)
        if seq_length is not None:
            self._check_lengths(x, seq_length)
        y = x.swapaxes(0, 1) if self.batch_first else x
        directions, last = 1 + self.bidirectional, []
        for i in range(self.num_layers):
            if i and self.dropout:
                y = self.dropout_op(y)
            outs = []
            for j in range(i * directions, (i + 1) * directions):
                state = [h[j] for h in hx] + [None] * (2 - len(hx))
                weights = [list(getattr(self, name)) for name in _LISTS]
                weights = [w[j].astype(x.dtype) if w else None for w in weights]
                out, *after = self.rnn(y, *state, weights, seq_length, j % directions == 1)
                outs.append(out)
                last.append(after)
            y = ops.cat(tuple(outs), -1) if self.bidirectional else outs[0]
        states = [ops.stack(of_all) for of_all in zip(*last, strict=True)]
        y = y.swapaxes(0, 1) if self.batch_first else y
        return y, tuple(states) if self.is_lstm else states[0]


class RNN(_Stack):
    r"""`RNNCell` over sequences: `(L, N, C)` -> `(L, N, D H)`, and the last states `(D l, N, H)`.

    Arguments: `input_size`, `hidden_size`, `num_layers=1` l, `has_bias=True`, `batch_first=False`
    (then `(N, L, ...)`), `dropout=0.0` (after all layers but the last, in training),
    `bidirectional=False` (D = 2: outputs of both directions concatenated), `dtype=float32`,
    `nonlinearity='tanh'`. Called with `x`, `hx` (the initial states; default zeros) and
    `seq_length` `(N,)`: past the end of a sequence, outputs are 0 and the state is kept.

    >>> y, h = nn.RNN(3, 4)(ops.ones((5, 2, 3)))
    >>> y.shape, h.shape
    ((5, 2, 4), (1, 2, 4))
    """

    _kind = "tanh"

    def __init__(self, *args, **kwargs):
        kind = kwargs.pop("nonlinearity", "tanh")
        self.__dict__["_kind"] = _NONLINEARITY.checked("RNN", "nonlinearity", kind)
        super().__init__(*args, **kwargs)


class GRU(_Stack):
    r"""`GRUCell` over sequences: `(L, N, C)` -> `(L, N, D H)`, and the last states `(D l, N, H)`.

    Arguments: see `RNN`, without `nonlinearity`.

    >>> y, h = nn.GRU(3, 4, 2)(ops.ones((5, 2, 3)))
    >>> y.shape, h.shape
    ((5, 2, 4), (2, 2, 4))
    """

    _kind = "gru"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


class LSTM(_Stack):
    r"""`LSTMCell` over sequences: `(L, N, C)` -> `(L, N, D H)`, and the last `(h, c)`.

    Arguments: see `RNN`, without `nonlinearity`; `hx` is a pair, each `(D l, N, H)`.

    >>> y, (h, c) = nn.LSTM(3, 4, bidirectional=True, batch_first=True)(ops.ones((2, 5, 3)))
    >>> y.shape, c.shape
    ((2, 5, 8), (2, 2, 4))
    """

    _kind = "lstm"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
