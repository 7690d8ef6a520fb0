"""Dropout layers (Srivastava et al., 2014), and RReLU."""

from typing import Any

from sporax import ops
from sporax._src.core.dtype import float32
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.evaluation_notes import note
from sporax.ops.declare import MINT
from sporax.ops.random.dropout import dropout2d_in_place, dropout_in_place

_KEPT, _DROPPED = kinds.within(0, 1, ends="(]"), kinds.within(0, 1, ends="[)")


def _probability(layer, name, value, kind):
    fits, words = kind.accepts(value), kind.words()
    require(fits, "must-be-value", layer, argument=name, kind=words, got=value)
    return value


class Dropout(Cell):
    r"""In training, elements are 0 with probability `p`, else $x / (1 - p)$; in evaluation, $x$.

    `p` is in [0, 1). If None, `keep_prob` in (0, 1], the probability of keeping, is used.

    >>> nn.Dropout(p=0.2)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=float32):
        super().__init__()
        if p is None:
            _probability("Dropout", "keep_prob", keep_prob, _KEPT)
        else:
            _probability("Dropout", "p", p, _DROPPED)
        self.keep_prob, self.p = keep_prob, p

    def construct(self, x):
        note(self)
        return ops.dropout(x, 1 - self.keep_prob if self.p is None else self.p, self.training)

    def extend_repr(self):
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(Cell):
    """Base class of dropout of whole channels; `drop`: the operation of a subclass."""

    drop: Any = None

    def __init__(self, p=0.5):
        super().__init__()
        self.p = _probability(type(self).__name__, "p", p, kinds.FRACTION)
        self.keep_prob = 1 - p

    def construct(self, x):
        note(self)
        return type(self).drop(x, self.p, self.training)

    def extend_repr(self):
        return f"p={self.keep_prob}"  # MindSpore prints the probability of keeping


class Dropout1d(_ChannelDropout):
    """Like `Dropout`, for whole channels: `(N, C, L)` or `(C, L)`; `p` is in [0, 1].

    >>> nn.Dropout1d(p=0.2)(ops.ones((2, 3))).shape
    (2, 3)
    """

    drop = ops.dropout1d

    def extend_repr(self):
        return ""


class Dropout2d(_ChannelDropout):
    """Like `Dropout`, for whole channels: `(N, C, H, W)`; `p` is in [0, 1].

    >>> nn.Dropout2d(p=0.2)(ops.ones((1, 2, 3, 3))).shape
    (1, 2, 3, 3)
    """

    drop = ops.dropout2d


class Dropout3d(_ChannelDropout):
    """Like `Dropout`, for whole channels: `(N, C, D, H, W)`; `p` is in [0, 1].

    >>> nn.Dropout3d(p=0.2)(ops.ones((1, 2, 3, 3, 3))).shape
    (1, 2, 3, 3, 3)
    """

    drop = ops.dropout3d


class DropoutExt(Cell):
    """`mint.nn.Dropout`: like `Dropout` with `p` in [0, 1]; `inplace`: overwrite the input.

    >>> nn.DropoutExt(0.2)(Tensor([1.0, 2.0])).asnumpy()
    array([1., 2.], dtype=float32)
    """

    drop = dropout_in_place

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = _probability(type(self).__name__, "p", p, kinds.FRACTION)
        self.inplace = inplace

    def construct(self, input):
        note(self)
        return type(self).drop(input, self.p, self.training, self.inplace)


class Dropout2dExt(DropoutExt):
    """`mint.nn.Dropout2d`: like `Dropout2d`; `inplace`: overwrite the input.

    >>> nn.Dropout2dExt(0.2)(ops.ones((1, 2, 3, 3))).shape
    (1, 2, 3, 3)
    """

    drop = dropout2d_in_place


MINT["nn.Dropout"], MINT["nn.Dropout2d"] = DropoutExt, Dropout2dExt


class RReLU(Cell):
    r"""$x$ where $x \geq 0$, else $a x$, $a$ uniform in [lower, upper), sampled even in eval mode.

    (Xu et al., 2015.)

    >>> nn.RReLU(0.5, 0.5)(Tensor([2.0, -1.0])).asnumpy()
    array([ 2. , -0.5], dtype=float32)
    """

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        kinds.NUMBER("RReLU", lower=lower, upper=upper)
        fields = {"lower": lower, "other": "upper", "upper": upper}
        require(lower <= upper, "at-most-argument-value-dropout", "RReLU", **fields)
        self.lower, self.upper = lower, upper

    def construct(self, x):
        return ops.rrelu(x, self.lower, self.upper)
