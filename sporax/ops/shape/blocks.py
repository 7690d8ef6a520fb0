"""Blocks of the last axes moved to the batch axis, and back."""

import math

import jax.numpy as jnp

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op


def _blocks(name, block, pairs, whole):
    """Return (the sizes of a block, the pairs) from an int or several, and a pair for each."""
    require(isinstance(pairs, (tuple, list)) and pairs, "pair-ints-axis", argument=whole, got=pairs)
    sizes = (block,) * len(pairs) if isinstance(block, int) else block
    is_each = isinstance(sizes, (tuple, list)) and len(sizes) == len(pairs)
    require(is_each, "int-one", argument=name, whole=whole, got=block)
    is_positive = all(isinstance(n, int) and n >= 1 for n in sizes)
    require(is_positive, "ints-at-least-1", argument=name, got=block)
    ends = [n for pair in pairs for n in (pair if isinstance(pair, (tuple, list)) else ())]
    are_counts = len(ends) == 2 * len(pairs) and all(isinstance(n, int) and n >= 0 for n in ends)
    require(are_counts, "pairs-ints-at-least-0", argument=whole, got=pairs)
    return tuple(sizes), tuple(map(tuple, pairs))


@op(
    primitive=(
        "SpaceToBatchND(block_shape: block_size, paddings)(input_x)",
        "SpaceToBatch(block_size, paddings)(input_x)",
    ),
    name="SpaceToBatchND",
)
def space_to_batch_nd(input_x: Array, block_size, paddings):
    r"""Move positions within blocks of the last axes to the batch: `(n, *, w_1, ..., w_M)` -> `(n
    B, *, w_1 / b_1, ..., w_M / b_M)` with $B = b_1 \cdots b_M$.

    `block_size`: the sizes $b_i$ of a block, an int or one for each axis. `paddings`: the numbers
    of zeros before and after each axis, whose size is then a multiple of $b_i$.

    >>> ops.space_to_batch_nd(Tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2, [[0, 0], [0, 0]]).tolist()
    [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    """
    block, pads = _blocks("block_size", block_size, paddings, "paddings")
    first = input_x.ndim - len(block)
    require(first >= 1, "more-axes", argument="input_x", count=len(block))
    x = jnp.pad(input_x, [(0, 0)] * first + list(pads))
    widths = x.shape[first:]
    are_multiples = not any(n % b for n, b in zip(widths, block, strict=True))
    require(are_multiples, "padded-axes-multiples", shape=widths, block=block)
    split = [n for w, b in zip(widths, block, strict=True) for n in (w // b, b)]
    inner = range(first + 1, x.ndim + len(block), 2)
    outer = range(first, x.ndim + len(block), 2)
    x = x.reshape(*x.shape[:first], *split).transpose(*inner, *range(first), *outer)
    return x.reshape(math.prod(block) * input_x.shape[0], *input_x.shape[1:first], *split[::2])


@op(
    function=(),
    primitive=("BatchToSpaceND(block_shape, crops)(input_x)",
               "BatchToSpace(block_size: block_shape, crops)(input_x)"),
    name="BatchToSpaceND",
)  # fmt: skip
def batch_to_space(input_x: Array, block_shape, crops):
    """The inverse of `space_to_batch_nd`; see `batch_to_space_nd`.

    >>> x = Tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]])
    >>> ops.BatchToSpaceND(2, [[0, 0], [0, 1]])(x).tolist()
    [[[1.0], [3.0]]]
    """
    block, cut = _blocks("block_shape", block_shape, crops, "crops")
    first, count = input_x.ndim - len(block), math.prod(block)
    fits = first >= 1 and not input_x.shape[0] % count
    require(fits, "more-axes-first-multiple", argument="input_x", n=len(block), m=count)
    sizes = [w * b for w, b in zip(input_x.shape[first:], block, strict=True)]
    is_left = all(n > sum(pair) for n, pair in zip(sizes, cut, strict=True))
    require(is_left, "leave-something-axes", crops=crops, sizes=sizes)
    x = input_x.reshape(*block, input_x.shape[0] // count, *input_x.shape[1:])
    axes = [p for i in range(len(block)) for p in (len(block) + first + i, i)]
    x = x.transpose(*range(len(block), len(block) + first), *axes)
    x = x.reshape(*x.shape[:first], *sizes)
    kept = [slice(low, n - high) for n, (low, high) in zip(sizes, cut, strict=True)]
    return x[(slice(None),) * first + tuple(kept)]


@composite(primitive="BatchToSpaceNDV2()(input_x, block_shape, crops)", op="batch_to_space")
def batch_to_space_nd(input_x, block_shape, crops):
    r"""Move examples to positions within blocks of the last axes: `(n B, *, w_1, ..., w_M)` -> `(n,
    *, w_1 b_1, ..., w_M b_M)` with $B = b_1 \cdots b_M$, the inverse of `space_to_batch_nd`.

    `block_shape`: the sizes $b_i$ of a block, an int, one for each axis, or a Tensor of them.
    `crops`: the numbers of elements then cropped before and after each axis.

    >>> x = Tensor([[[1.0]], [[2.0]], [[3.0]], [[4.0]]])
    >>> ops.batch_to_space_nd(x, [2, 2], [[0, 0], [0, 0]]).tolist()
    [[[1.0, 2.0], [3.0, 4.0]]]
    """
    block, cut = (t.tolist() if isinstance(t, Tensor) else t for t in (block_shape, crops))
    return batch_to_space(input_x, block, cut)
