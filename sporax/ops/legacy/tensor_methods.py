"""Tensor methods that MindSpore plans to remove."""

import math

import jax.numpy as jnp

from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, composite, op
from sporax.ops.shape.creation import zeros
from sporax.ops.shape.joining import broadcast_to, concat, stack
from sporax.ops.shape.reshape import reshape, sizes

_MODE = kinds.one_of("clip", "wrap", "raise")


@op(
    function=(), name="choose",
    bounds=lambda a, choices, mode="clip": (
        [Range(a, len(choices), low=0)] if mode == "raise" else []
    ),
)  # fmt: skip
def choose_among(a: Array, choices: Array, mode="clip"):
    """Select at each position the element of `choices[i]`, where `a` is `i`."""
    require(jnp.issubdtype(a.dtype, jnp.integer), "ints-argument-value", a=a.dtype)
    require(choices.ndim, "dimension-shape-rank", argument="choices")
    _MODE(None, mode=mode)
    return jnp.choose(a, list(choices), mode="clip" if mode == "raise" else mode)


@composite(tensor=True, function=())
def choose(input, choices, mode="clip"):
    """Select at each position the element of `choices[i]`, where the tensor is `i`; broadcast
    together.

    `mode`: 'clip' clips an `i` out of range, 'wrap' wraps it around, 'raise' raises.

    >>> Tensor([1, 0]).choose([[1, 2], [3, 4]]).asnumpy()
    array([3, 2])
    """
    if not isinstance(choices, Tensor):
        several = [c if isinstance(c, Tensor) else Tensor(c) for c in choices]
        shape = jnp.broadcast_shapes(*[c.shape for c in several])
        choices = stack([broadcast_to(c, shape) for c in several])
    given = {"ndim": input.ndim, "ndim2": choices.ndim}
    require(input.ndim and choices.ndim, "tensor-choices-dimensions", "Tensor.choose", **given)
    return choose_among(input, choices, mode)


@composite(tensor=True, function=())
def itemset(input, *args):
    """Return a new tensor with one element replaced: `itemset(value)` for a one-element tensor,
    `itemset(index, value)` with a flat, row-major index or a tuple of ints.

    >>> Tensor([[1, 2], [3, 4]]).itemset((0, 1), 9).asnumpy()
    array([[1, 9],
           [3, 4]])
    """
    who = "Tensor.itemset"
    require(len(args) in (1, 2), "value-index-value", who, got=len(args))
    *index, value = plain(args)
    require(isinstance(value, (bool, int, float)), "value-number-argument-type", who, got=value)
    given = index or input.size == 1
    require(given, "index-given-tensor-several", who, shape=input.shape)
    position = index[0] if index else 0
    if isinstance(position, tuple):
        fits = len(position) == input.ndim
        require(fits, "index-ints-shape", who, shape=input.shape, ndim=input.ndim, got=position)
        result = input.copy()
        result[position] = value
        return result
    flat = reshape(input, (-1,)).copy()
    flat[position] = value
    return reshape(flat, input.shape)


@composite(tensor=True, function=())
def resize(input, *new_shape):
    """Return the elements in row-major order in another shape, truncated or padded with zeros.

    >>> Tensor([[1, 2], [3, 4]]).resize(3, 2).asnumpy()
    array([[1, 2],
           [3, 4],
           [0, 0]])
    """
    if not new_shape:
        return input
    shape = sizes(new_shape)
    require(not any(n < 0 for n in shape), "size-at-least-0", "Tensor.resize", got=shape)
    flat, count = reshape(input, (-1,)), math.prod(shape)
    if count > input.size:
        flat = concat((flat, zeros(count - input.size, input.dtype)))
    return reshape(flat[:count], shape)


@composite(tensor=True, function=())
def sum_to_size(input, *size):
    """Sum over dimensions to the shape `size`, which must broadcast to the tensor's shape.

    >>> ops.ones((2, 3)).sum_to_size(1, 3).asnumpy()
    array([[2., 2., 2.]], dtype=float32)
    """
    shape = sizes(size)
    extra = input.ndim - len(shape)
    kept = input.shape[max(extra, 0) :]
    fits = extra >= 0 and all(n in (1, m) for n, m in zip(shape, kept, strict=True))
    require(fits, "shape-can-broadcast", "Tensor.sum_to_size", size=shape, shape=input.shape)
    summed = [extra + i for i, (n, m) in enumerate(zip(shape, kept, strict=True)) if n != m]
    axes = (*range(extra), *summed)
    return reshape(input.sum(axes, keepdims=True), shape) if axes else input


@composite(tensor="index", function=(), name="Tensor.index")
def index_by_tensors(input, value):
    """Return the elements at index Tensors, one for each of the first axes, broadcast together.

    >>> Tensor([[1, 2], [3, 4]]).index([Tensor([0, 1]), Tensor([1, 1])]).asnumpy()
    array([2, 4])
    """
    if isinstance(value, Tensor):
        return input[value]
    fits = isinstance(value, (tuple, list)) and all(isinstance(i, Tensor) for i in value)
    require(fits, "tensor-or-tensors-index", "Tensor.index", value=value)
    return input[tuple(value)]
