"""Elements moved: between channels and planes, into masks, rotated, reversed."""

import jax.numpy as jnp

from sporax._src.core.dtype import bool_
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.casting import cast
from sporax.ops.declare import FUNCTIONS, Array, Arrays, attach, composite, op
from sporax.ops.indexing.gather import nonzero
from sporax.ops.math.comparison import less
from sporax.ops.shape.creation import arange
from sporax.ops.shape.joining import concat, flip, tensor_split
from sporax.ops.shape.reshape import swapaxes

# between channels and planes -------------------------------------------------------------------


def _blocks(who, x, block_size):
    is_size = kinds.INT.accepts(block_size) and block_size >= 2
    require(is_size, "int-at-least", who, block_size=block_size, n=2)
    require(x.ndim == 4, "shape-letters", who, x=x.shape, letters="(N, C, H, W)")
    return x.shape


@composite(function=(), primitive="DepthToSpace(block_size)(x)", name="DepthToSpace")
def depth_to_space(x, block_size):
    """`(N, C b b, H, W)` -> `(N, C, H b, W b)`: the slowest-varying parts of the channels become
    rows and columns.

    >>> ops.DepthToSpace(2)(ops.ones((1, 8, 1, 1))).shape
    (1, 2, 2, 2)
    """
    n, c, h, w = _blocks("DepthToSpace", x, block_size)
    b = block_size
    require(not c % (b * b), "channels-multiple", "DepthToSpace", number=b * b, got=c)
    split = x.reshape(n, b, b, c // (b * b), h, w)
    return split.permute(0, 3, 4, 1, 5, 2).reshape(n, c // (b * b), h * b, w * b)


@composite(function=(), primitive="SpaceToDepth(block_size)(x)", name="SpaceToDepth")
def space_to_depth(x, block_size):
    """`(N, C, H b, W b)` -> `(N, C b b, H, W)`: the inverse of `DepthToSpace`.

    >>> ops.SpaceToDepth(2)(ops.ones((1, 2, 2, 2))).shape
    (1, 8, 1, 1)
    """
    n, c, h, w = _blocks("SpaceToDepth", x, block_size)
    b = block_size
    require(not h % b and (not w % b), "height-width-multiples", "SpaceToDepth", b=b, got=h, w=w)
    split = x.reshape(n, c, h // b, b, w // b, b)
    return split.permute(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


@composite(primitive="ChannelShuffle(group: groups)(x)")
def channel_shuffle(x, groups):
    """Interleave the channels of `(N, C, *)` from `groups` equal groups.

    >>> ops.channel_shuffle(Tensor([[[0.0], [1.0], [2.0], [3.0]]]), 2).reshape(4).tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    is_group = isinstance(groups, int) and groups >= 1
    fits, shape = x.ndim >= 3 and is_group and not x.shape[1] % groups, x.shape
    require(fits, "n-c-c-multiple", "channel_shuffle", x=shape, groups=groups)
    split = x.reshape(x.shape[0], groups, -1, *x.shape[2:])
    return swapaxes(split, 1, 2).reshape(x.shape)


# into masks and parts --------------------------------------------------------------------------


@op(function=(), tensor="masked_scatter(input, mask, tensor: source)", name="MaskedScatter",
    primitive="MaskedScatter()(input, mask, source)")  # fmt: skip
def masked_scatter(input: Array, mask: Array, source: Array):
    """`input` with the elements of `source`, in their order, where `mask` is True.

    >>> ops.MaskedScatter()(Tensor([1.0, 2.0]), Tensor([False, True]), Tensor([7.0])).asnumpy()
    array([1., 7.], dtype=float32)
    """
    require(mask.dtype == bool, "bool-dtype", mask=mask.dtype)
    dtype = input.dtype
    require(source.dtype == dtype, "dtype-of", source=source.dtype, other="input", dtype=dtype)
    shape = jnp.broadcast_shapes(input.shape, mask.shape)
    into, mask = jnp.broadcast_to(input, shape), jnp.broadcast_to(mask, shape).reshape(-1)
    index = jnp.clip(jnp.cumsum(mask) - 1, 0, max(source.size - 1, 0))
    return jnp.where(mask.reshape(shape), source.reshape(-1)[index].reshape(shape), into)


def _masked_scatter_in_place(self, mask, source):
    """`masked_scatter` in place.

    >>> Tensor([1.0, 2.0]).masked_scatter_(Tensor([False, True]), Tensor([7.0])).asnumpy()
    array([1., 7.], dtype=float32)
    """
    return self._rebind(self.masked_scatter(mask, source)._value)


attach("masked_scatter_", _masked_scatter_in_place)


@composite(tensor=True)
def slice_scatter(input, src, axis=0, start=None, end=None, step=1):
    """`input` with `src` at `start:end:step` along `axis`.

    >>> ops.slice_scatter(ops.zeros((3,)), Tensor([1.0, 2.0]), 0, 1).tolist()
    [0.0, 1.0, 2.0]
    """
    out, index = input.copy(), (slice(None),) * (axis % input.ndim)
    index = (*index, slice(start, end, step))
    shape = input[index].shape
    fits = tuple(src.shape) == tuple(shape)
    require(fits, "slice-shape", "slice_scatter", argument="src", shape=shape, got=src.shape)
    out[index] = src
    return out


@composite(tensor=True)
def select_scatter(input, src, axis, index):
    """`input` with `src` at `index` along `axis`.

    >>> ops.select_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0]), 0, 1).tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    out, place = input.copy(), (*(slice(None),) * (axis % input.ndim), index)
    shape, got = tuple(input[place].shape), tuple(src.shape)
    require(got == shape, "slice-shape", "select_scatter", argument="src", shape=shape, got=got)
    out[place] = src
    return out


# turned ----------------------------------------------------------------------------------------


@composite(tensor=True)
def fliplr(input):
    """Reverse the order of the columns.

    >>> ops.fliplr(Tensor([[1, 2]])).tolist()
    [[2, 1]]
    """
    return flip(input, (1,))


@composite(tensor=True)
def flipud(input):
    """Reverse the order of the rows.

    >>> ops.flipud(Tensor([[1], [2]])).tolist()
    [[2], [1]]
    """
    return flip(input, (0,))


@composite(tensor=True)
def rot90(input, k, dims):
    """Rotate by `k` right angles, from the first of `dims` toward the second.

    >>> ops.rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)).tolist()
    [[2, 4], [1, 3]]
    """
    first, second = dims
    are_two = first % input.ndim != second % input.ndim
    require(are_two, "two-axes", "rot90", dims=dims, ndim=input.ndim)
    turned = {
        0: lambda x: x,
        1: lambda x: swapaxes(flip(x, (second,)), first, second),
        2: lambda x: flip(x, (first, second)),
        3: lambda x: flip(swapaxes(x, first, second), (second,)),
    }
    return turned[k % 4](input)


@op(primitive="ReverseSequence(seq_dim, batch_dim=0)(x: input, seq_lengths)",
    function="reverse_sequence(x: input, seq_lengths, seq_dim, batch_dim=0)",
    tensor="reverse_sequence(input, seq_lengths, seq_dim=0, batch_dim=0)",
    bounds=lambda input, seq_lengths, seq_dim, batch_dim: [
        Range(seq_lengths, input.shape[seq_dim] + 1, low=0, span="up-to-the-size-of-the-axis")
    ])  # fmt: skip
def reverse_sequence(input: Array, seq_lengths: Array, seq_dim=0, batch_dim=0):
    """Reverse the first `seq_lengths` elements along `seq_dim`, for each of a batch.

    >>> ops.reverse_sequence(Tensor([[1, 2, 3]]), Tensor([2]), 1).tolist()
    [[2, 1, 3]]
    """
    fits = seq_lengths.shape == (input.shape[batch_dim],) and seq_dim % input.ndim != batch_dim
    require(fits, "one-int-batch-another", argument="seq_lengths")
    moved = jnp.moveaxis(input, (batch_dim, seq_dim), (0, 1))
    steps = jnp.arange(moved.shape[1])[None]
    lengths = seq_lengths[:, None]
    index = jnp.where(steps < lengths, lengths - 1 - steps, steps)
    index = index.reshape(*index.shape, *(1,) * (moved.ndim - 2))
    return jnp.moveaxis(jnp.take_along_axis(moved, index, 1), (0, 1), (batch_dim, seq_dim))


@composite()
def sequence_mask(lengths, maxlen=None):
    """True where a position is within a length: `(*, maxlen)`, by default the greatest length.

    >>> ops.sequence_mask(Tensor([1, 2]), 2).tolist()
    [[True, False], [True, True]]
    """
    size = int(lengths.max()) if maxlen is None else int(maxlen)
    return cast(less(arange(size), lengths.expand_dims(-1)), bool_)


# side by side ----------------------------------------------------------------------------------


def _at_least(dims, grow):
    def function(inputs):
        if isinstance(inputs, Tensor):
            return grow(inputs)
        return tuple(grow(x) for x in inputs)

    name = f"atleast_{dims}d"
    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""Add axes of size 1 up to {dims} dimensions; to each Tensor of a tuple.

    >>> ops.{name}(Tensor(1.0)).ndim
    {dims}
    """
    return composite()(function)


def _grown_to_3(x):
    return x.expand_dims(-1) if x.ndim == 2 else _grown_to_2(x).expand_dims(-1)


def _grown_to_2(x):
    return x if x.ndim > 1 else x.reshape(1, -1)


atleast_1d = _at_least(1, lambda x: x if x.ndim else x.reshape(1))
atleast_2d = _at_least(2, _grown_to_2)
atleast_3d = _at_least(3, lambda x: x if x.ndim > 2 else _grown_to_3(x))


@composite()
def column_stack(tensors):
    """Concatenate vectors as columns, and matrices, along axis 1.

    >>> ops.column_stack((Tensor([1, 2]), Tensor([3, 4]))).tolist()
    [[1, 3], [2, 4]]
    """
    return concat([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors], 1)


@composite()
def row_stack(tensors):
    """Concatenate vectors as rows, and matrices, along axis 0.

    >>> ops.row_stack((Tensor([1, 2]), Tensor([3, 4]))).tolist()
    [[1, 2], [3, 4]]
    """
    return concat([_grown_to_2(t) for t in tensors], 0)


def _split_along(name, axis):
    def function(input, indices_or_sections) -> Arrays:
        along = 0 if name == "hsplit" and input.ndim == 1 else axis
        return tensor_split(input, indices_or_sections, along)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""`tensor_split` along axis {axis}{" (0 of a vector)" * (axis == 1)}.

    >>> len(ops.{name}(ops.ones((2, 2, 2)), 2))
    2
    """
    return composite(tensor=True)(function)


for _name, _along in (("vsplit", 0), ("hsplit", 1), ("dsplit", 2)):
    globals()[_name] = _split_along(_name, _along)


# questions -------------------------------------------------------------------------------------


@composite(tensor=True)
def argwhere(input):
    """Return the indices of nonzero elements, as rows: Int64.

    >>> ops.argwhere(Tensor([[0, 2], [3, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    return nonzero(input)


@composite()
def is_nonzero(input) -> bool:
    """Return True if the single element of `input` is nonzero.

    >>> ops.is_nonzero(Tensor([1.0]))
    True
    """
    shape, size = input.shape, input.size
    require(size == 1, "one-element", "is_nonzero", ValueError, argument="input", shape=shape)
    return bool(input.reshape(()) != 0)


@op(function="intopk(x1: input, x2: target, k)", primitive="InTopK(k)(x1: input, x2: target)",
    name="InTopK", differentiable=False)  # fmt: skip
def intopk(input: Array, target: Array, k):
    """Return True if a row's element at index `x2` is among the `k` largest, ties included.

    >>> ops.intopk(Tensor([[1.0, 3.0, 2.0]]), Tensor([2]), 2).tolist()
    [True]
    """
    require(input.ndim == 2 and target.shape == input.shape[:1], "n-classes-x2-n", argument="x1")
    own = jnp.take_along_axis(input, target[:, None], 1)
    within = (target >= 0) & (target < input.shape[1]) & jnp.isfinite(own[:, 0])
    return ((input > own).sum(1) < k) & within


@composite(function=("mixed_precision_cast",))
def mixed_precision_cast(dst_dtype, x):
    """Cast floating Tensors to `dst_dtype`, also in tuples, lists and dicts; others are unchanged.

    >>> ops.mixed_precision_cast(ms.float16, Tensor([1.0])).dtype
    mindspore.float16
    """
    return map_tensors(lambda t: cast(t, dst_dtype) if t.is_floating_point() else t, x)


@composite(function="inv(x)", tensor=True, primitive="Inv()(x)")
def inv(x):
    """$1 / x$, element by element; for integers truncated toward zero, in their dtype.

    >>> ops.inv(Tensor([2.0, 4.0])).tolist()
    [0.5, 0.25]
    """
    result = FUNCTIONS["reciprocal"](x)
    return result if x.is_floating_point() or x.is_complex() else cast(result, x.dtype)
