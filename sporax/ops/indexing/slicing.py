"""Parts of tensors between bounds."""

import builtins

import jax

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op


@op(
    function=("slice(input_x: input, begin, size)", "tensor_slice(input, begin, size)"),
    primitive="Slice()(input, begin, size)",
    view=True,
)
def slice(input: Array, begin, size):
    """The block that starts at `begin` and has `size` (-1: up to the end), one int per dimension.

    >>> ops.slice(Tensor([[1, 2], [3, 4]]), (0, 1), (2, -1)).asnumpy()
    array([[2],
           [4]])
    """
    require(input.ndim, "at-least-dimensions", argument="input", n=1, shape=())
    ends = [n if s == -1 else b + s for b, s, n in zip(begin, size, input.shape, strict=True)]
    inside = all(0 <= b <= e <= n for b, e, n in zip(begin, ends, input.shape, strict=True))
    require(inside, "begin-size-lie-within", begin=begin, size=size, shape=input.shape)
    return jax.lax.slice(input, begin, ends)


_MASKS = "begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0"


@op(
    function=f"strided_slice(input_x: input, begin, end, strides, {_MASKS})",
    primitive=f"StridedSlice({_MASKS})(input_x: input, begin, end, strides)",
    view=True,
)
def strided_slice(
    input: Array, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
    shrink_axis_mask=0,
):  # fmt: skip
    """Every `strides[i]`-th slice from `begin[i]` up to `end[i]` of dimension `i`.

    Bit `i` of a mask says that entry `i` has no begin, has no end, stands for all dimensions not
    named, is a new dimension, or is the single index `begin[i]`, which removes the dimension.

    >>> ops.strided_slice(Tensor([1, 2, 3, 4]), (1,), (4,), (2,)).asnumpy()
    array([2, 4])
    """
    index = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(...)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(b)
        else:
            ends = (None if begin_mask & bit else b, None if end_mask & bit else e)
            index.append(builtins.slice(*ends, s))
    return input[tuple(index)]


@op(
    tensor=("narrow(input, dim: axis, start, length)", "narrow(input, axis, start, length)"),
    mint="narrow(input, dim: axis, start, length)",
    view=True,
)
def narrow(input: Array, axis, start, length):
    """`length` slices along `axis`, starting at `start`.

    >>> ops.narrow(Tensor([1, 2, 3]), 0, 1, 2).asnumpy()
    array([2, 3])
    """
    total = input.shape[axis]
    first = start + total if start < 0 else start
    inside = 0 <= first <= first + length <= total
    require(inside, "slices-lie-within", length=length, start=start, total=total)
    return jax.lax.slice_in_dim(input, first, first + length, axis=axis)


@composite(tensor="view_as")
def view_as(input, other):
    """Reshape `input` to the shape of `other`.

    >>> Tensor([1, 2]).view_as(Tensor([[0], [0]])).asnumpy()
    array([[1],
           [2]])
    """
    return input.reshape(other.shape)


@composite(tensor="reshape_as", function=())
def reshape_as(input, other):
    """Reshape `input` to the shape of `other`.

    >>> Tensor([1, 2]).reshape_as(Tensor([[0], [0]])).asnumpy()
    array([[1],
           [2]])
    """
    return input.reshape(other.shape)
