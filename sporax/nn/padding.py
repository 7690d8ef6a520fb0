"""Padding layers."""

from functools import partial

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.nn.cell import Cell
from sporax.ops.nn.padding import mirror_pad, pad_axes

_PAIRED = "CONSTANT", "REFLECT", "SYMMETRIC"

_PAIRS = kinds.Kind(
    partial(message, "a-tuple-of-pairs"),
    lambda value: isinstance(value, tuple) and all(isinstance(x, (tuple, list)) for x in value),
    lambda value: all(len(pair) == 2 for pair in value),
)


class Pad(Cell):
    """Pad the input by `paddings`: (before, after) for each axis.

    `mode`: 'CONSTANT' (zeros), 'REFLECT' (mirrored, without the edge) or 'SYMMETRIC' (with it).

    >>> nn.Pad(((0, 0), (1, 2)))(Tensor([[1, 2]])).asnumpy()
    array([[0, 1, 2, 0, 0]])
    """

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
        kinds.one_of(*_PAIRED)("Pad", mode=mode)
        _PAIRS("Pad", paddings=paddings)
        require(len(paddings) <= 4, "before-after-at-most-axes", "Pad", paddings=paddings, axes=4)
        self.paddings, self.mode = paddings, mode

    def construct(self, x):
        if self.mode == "CONSTANT":
            return pad_axes(x, self.paddings)
        return mirror_pad(x, self.paddings, self.mode)


class PadLayer(Cell):
    """Base class of the layers for 1 to 3 axes; `padding`: an int for all sides, or (before,
    after) of the last axis, then of the previous one, and so on."""

    _axes, _mode, _lowest = 2, "constant", None

    def __init__(self, padding):
        super().__init__()
        layer = type(self).__name__
        if isinstance(padding, int):
            padding = (padding,) * (2 * self._axes)
        if not isinstance(padding, tuple) or not all(isinstance(n, int) for n in padding):
            raise rejection("must-be-type", layer, padding=padding, kind="int-or-ints")
        fits, axes = not len(padding) % 2 and len(padding) <= 2 * self._axes, self._axes
        require(fits, "before-after-at-most-axes", layer, padding=padding, axes=axes)
        lowest = self._lowest
        fits = lowest is None or min(padding, default=0) >= lowest
        require(fits, "at-least", layer, padding=padding, n=lowest)
        self.padding = padding

    def construct(self, x):
        return ops.pad(x, self.padding, self._mode)


class _Constant(PadLayer):
    def __init__(self, padding, value):
        super().__init__(padding)
        kinds.instance((int, float), "a-number")(type(self).__name__, value=value)
        self.value = value

    def construct(self, x):
        return ops.pad(x, self.padding, "constant", self.value)


class ConstantPad1d(_Constant):
    """Pad the last axis with `value`; `padding`: an int or (left, right); negative values crop.

    >>> nn.ConstantPad1d(1, 9)(Tensor([[1, 2]])).asnumpy()
    array([[9, 1, 2, 9]])
    """

    _axes = 1


class ConstantPad2d(_Constant):
    """Pad the last two axes with `value`; `padding`: an int or (left, right, top, bottom).

    >>> nn.ConstantPad2d((1, 0, 0, 0), 9)(Tensor([[1, 2]])).asnumpy()
    array([[9, 1, 2]])
    """


class ConstantPad3d(_Constant):
    """Pad the last 3 axes with `value`; `padding`: int or (before, after) pairs, last axis first.

    >>> nn.ConstantPad3d(1, 0.5)(ops.ones((1, 2, 2, 2))).shape
    (1, 4, 4, 4)
    """

    _axes = 3


class ZeroPad2d(PadLayer):
    """Zero padding of the last two axes; `padding`: an int or (left, right, top, bottom).

    >>> nn.ZeroPad2d((1, 0, 0, 0))(Tensor([[1, 2]])).asnumpy()
    array([[0, 1, 2]])
    """


class _Reflection(PadLayer):
    _mode, _lowest = "reflect", 0


class ReflectionPad1d(_Reflection):
    """Reflect the last axis, excluding the edges; `padding`: an int or (left, right).

    >>> nn.ReflectionPad1d(1)(Tensor([[1, 2, 3]])).asnumpy()
    array([[2, 1, 2, 3, 2]])
    """

    _axes = 1


class ReflectionPad2d(_Reflection):
    """Reflect the last two axes; `padding`: an int or (left, right, top, bottom).

    >>> nn.ReflectionPad2d((1, 0, 0, 0))(Tensor([[[1, 2, 3]]])).asnumpy()
    array([[[2, 1, 2, 3]]])
    """


class ReflectionPad3d(_Reflection):
    """Reflect the last 3 axes; `padding`: an int or (before, after) pairs, last axis first.

    >>> nn.ReflectionPad3d(1)(ops.ones((1, 2, 2, 2))).shape
    (1, 4, 4, 4)
    """

    _axes = 3


class _Replication(PadLayer):
    _mode = "replicate"


class ReplicationPad1d(_Replication):
    """Repeat the edges of the last axis; `padding`: an int or (left, right).

    >>> nn.ReplicationPad1d((2, 1))(Tensor([[[1, 2]]])).asnumpy()
    array([[[1, 1, 1, 2, 2]]])
    """

    _axes = 1


class ReplicationPad2d(_Replication):
    """Repeat the edges of the last two axes; `padding`: an int or (left, right, top, bottom).

    >>> nn.ReplicationPad2d((1, 0, 0, 0))(Tensor([[[1, 2]]])).asnumpy()
    array([[[1, 1, 2]]])
    """


class ReplicationPad3d(_Replication):
    """Repeat the edges of the last three axes; `padding`: see `ReflectionPad3d`.

    >>> nn.ReplicationPad3d(1)(ops.ones((1, 1, 2, 2, 2))).shape
    (1, 1, 4, 4, 4)
    """

    _axes = 3
