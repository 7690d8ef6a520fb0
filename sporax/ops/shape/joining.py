"""Joining, splitting and repetition of tensors."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core.dtype import Type
from sporax._src.core.errors import describe
from sporax._src.core.from_host import plain
from sporax._src.core.hooks import hooks
from sporax._src.core.promotion import promote
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import WEAK_AVALS, Aval
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.diagnosis.sizes import check_size
from sporax.ops.declare import Array, Arrays, attach, composite, op
from sporax.ops.shape.reshape import reshape, sizes


def _joinable(*avals):
    if len({a.ndim for a in avals}) > 1:
        error, got = TypeError if any(a.weak for a in avals) else ValueError, map(describe, avals)
        raise rejection("tensors-equally-many-dimensions", "Concat", error, got=[*got])


@op(
    primitive="Concat(axis=0)(tensors)",
    function=("concat(tensors, axis=0)", "cat(tensors, axis=0)"),
    mint=("concat(tensors, dim: axis=0)", "cat(tensors, dim: axis=0)"),
    promotes=True, check=_joinable,
)  # fmt: skip
def concat(tensors: Arrays, axis=0):
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal.

    >>> ops.concat((Tensor([1, 2]), Tensor([3])), 0).asnumpy()
    array([1, 2, 3])
    """
    return jnp.concatenate(tensors, axis)


@composite(primitive="ParallelConcat()(values)", function=())
def parallel_concat(values):
    """Concatenate a tuple or list of Tensors whose first size is 1 along that axis.

    >>> ops.ParallelConcat()((Tensor([[1, 2]]), Tensor([[3, 4]]))).asnumpy()
    array([[1, 2],
           [3, 4]])
    """
    shapes = [x.shape for x in values]
    are_rows = shapes and all(shape[:1] == (1,) for shape in shapes)
    require(are_rows, "all-values-first-size", "ParallelConcat", got=shapes)
    return concat(values, 0)


@op(
    primitive=("Stack(axis=0)(input_x: tensors)", "Pack(axis=0)(x: tensors)"),
    mint="stack(tensors, dim: axis=0)", promotes=True,
)  # fmt: skip
def stack(tensors: Arrays, axis=0):
    """Stack a tuple or list of Tensors of one shape along a new dimension `axis`.

    >>> ops.stack((Tensor([1, 2]), Tensor([3, 4])), axis=1).asnumpy()
    array([[1, 3],
           [2, 4]])
    """
    return jnp.stack(tensors, axis)


def _leaves(sequence):
    for item in sequence:
        if isinstance(item, (list, tuple)):
            yield from _leaves(item)
        else:
            yield item


def _stacked(who, sequence):
    """Convert nested sequences of Tensors and numbers to a Tensor; `who`: the name in errors."""
    sequence = plain(sequence)
    leaves = [item.dtype if isinstance(item, Tensor) else type(item) for item in _leaves(sequence)]
    dtype = next(kind for kind in leaves if isinstance(kind, Type))
    if not all(kind == dtype or _holds(dtype, kind) for kind in leaves):
        names = dict.fromkeys(getattr(kind, "__name__", str(kind)) for kind in leaves)
        raise rejection("hold-tensors-one-dtype", name=who, got=", ".join(names))

    def joined(item):
        if isinstance(item, (list, tuple)):
            return stack(list(map(joined, item)))
        return item if isinstance(item, Tensor) else Tensor(item, dtype)

    return joined(sequence)


def _holds(dtype, kind):
    """Return True if Tensors of a dtype keep it when combined with a Python number of this kind."""
    weak = WEAK_AVALS.get(kind)
    return weak and promote((Aval.intern((), dtype.numpy_dtype), weak)) == dtype.numpy_dtype


hooks.stacked = _stacked


def _pieces(input, ends, axis):
    """Return the slices of `input` between consecutive `ends` along `axis`."""
    starts = [0, *ends]
    take = [slice(None)] * input.ndim
    pieces = []
    for a, b in zip(starts, [*ends, input.shape[axis]], strict=True):
        take[axis] = slice(a, b)
        pieces.append(input[tuple(take)])
    return tuple(pieces)


def _axis(input, axis):
    n = input.ndim
    require(-n <= axis < n, "in-interval", axis=axis, interval=f"[{-n}, {n})")
    return axis % input.ndim


@op(
    function="split(tensor, split_size_or_sections, axis=0)",
    tensor=(
        "split(tensor, split_size: split_size_or_sections, dim: axis=0)",
        "split(tensor, split_size_or_sections, axis=0)",
    ),
    mint="split(tensor, split_size_or_sections, dim: axis=0)",
    view=True,
)
def split(tensor: Array, split_size_or_sections, axis=0) -> Arrays:
    """Split along `axis` into a tuple: one size (the last may be smaller), or the listed sizes.

    >>> [t.shape for t in ops.split(ops.zeros((5,)), 2)]
    [(2,), (2,), (1,)]
    """
    axis, size = _axis(tensor, axis), split_size_or_sections
    total = tensor.shape[axis]
    if isinstance(size, int):
        require(size >= 1, "greater-than", split_size_or_sections=size, n=0)
        return _pieces(tensor, list(range(size, total, size)), axis)
    require(sum(size) == total, "sizes-add-up-size", size=size, total=total, axis=axis)
    return _pieces(tensor, np.cumsum(size)[:-1].tolist(), axis)


@op(function=(), primitive="Split(axis=0, output_num=1)(input_x: input)", view=True)
def split_of_class(input: Array, axis=0, output_num=1) -> Arrays:
    """Split into `output_num` pieces of equal size along `axis`, a tuple.

    >>> [t.shape for t in ops.Split(0, 2)(ops.zeros((4,)))]
    [(2,), (2,)]
    """
    axis = _axis(input, axis)
    total = input.shape[axis]
    require(not total % output_num, "divisible-size", total=total, axis=axis, n=output_num)
    step = total // output_num
    return _pieces(input, [i * step for i in range(1, output_num)], axis)


@composite(primitive="SplitV(size_splits, split_dim, num_split)(input_x)", function=())
def split_of_sizes(input_x, size_splits, split_dim, num_split) -> Arrays:
    """Split into `num_split` pieces of these sizes along `split_dim`, a tuple; one size may be -1,
    the remainder.

    >>> [t.shape for t in ops.SplitV([1, -1], 0, 2)(ops.zeros((4,)))]
    [(1,), (3,)]
    """
    sizes = list(size_splits)
    fits = len(sizes) == num_split and sizes.count(-1) <= 1
    require(fits, "sizes-one-may-1", "SplitV", size_splits=size_splits, num_split=num_split)
    if -1 in sizes:
        sizes[sizes.index(-1)] = input_x.shape[split_dim] - sum(sizes) - 1
    return split(input_x, tuple(sizes), split_dim)


@op(
    tensor=("chunk(input, chunks, dim: axis=0)", "chunk(input, chunks, axis=0)"),
    mint="chunk(input, chunks, dim: axis=0)",
    view=True,
)
def chunk(input: Array, chunks, axis=0) -> Arrays:
    """Split into at most `chunks` equal pieces along `axis` (the last may be smaller), a tuple.

    >>> [t.shape for t in ops.chunk(ops.zeros((5,)), 2)]
    [(3,), (2,)]
    """
    axis = _axis(input, axis)
    total = input.shape[axis]
    size = max(-(-total // chunks), 1)
    ends = list(range(size, total, size)) if total else [0] * (chunks - 1)
    return _pieces(input, ends, axis)


@op(tensor=True, view=True)
def tensor_split(input: Array, indices_or_sections, axis=0) -> Arrays:
    """Split along `axis` into a tuple: so many pieces (the first larger by one), or at indices.

    >>> [t.shape for t in ops.tensor_split(ops.zeros((5,)), 2)]
    [(3,), (2,)]
    """
    axis, sections = _axis(input, axis), indices_or_sections
    if isinstance(sections, int):
        return tuple(jnp.array_split(input, sections, axis))
    ends = [*map(int, sections), input.shape[axis]]  # as in a slice: negative ones from the end
    indices = [(slice(None),) * axis + (slice(*ab),) for ab in zip([0, *ends], ends, strict=False)]
    return tuple([input[index] for index in indices])


@op(
    function=("unstack(input_x: input, axis=0)", "unbind(input, dim: axis=0)"),
    primitive=("Unstack(axis=0, num=None)(input_x: input)", "Unpack(axis=0)(x: input)"),
    tensor="unbind(input, dim: axis=0)",
    mint="unbind(input, dim: axis=0)",
    view=True,
)
def unstack(input: Array, axis=0, num=None) -> Arrays:
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given.

    >>> [t.asnumpy() for t in ops.unstack(Tensor([[1, 2], [3, 4]]))]
    [array([1, 2]), array([3, 4])]
    """
    size = input.shape[axis]
    require(num in (None, size), "size-axis-not", num=num, size=size, axis=axis)
    if size == 0:
        return ()
    return tuple(jnp.squeeze(x, _axis(input, axis)) for x in jnp.split(input, size, axis))


def _by_shape(name, axis_of, least, shown):
    """Declare `hstack` and similar functions: tensors of few dimensions get leading dimensions."""

    def function(tensors):
        tensors = [reshape(t, least(t.shape)) for t in tensors]
        return concat(tensors, axis_of(tensors[0].ndim))

    function.__name__ = name
    function.__doc__ = f"""The tensors put one after the other, as `numpy.{name}` does.

    >>> ops.{name}((Tensor([1]), Tensor([2]))).shape
    {shown}
    """
    return function


def _at_least_2(shape):
    return shape if len(shape) > 1 else (1, *(shape or (1,)))


def _at_least_3(shape):
    return shape if len(shape) > 2 else (*_at_least_2(shape), 1)


hstack = composite(mint=True)(
    _by_shape("hstack", lambda n: 0 if n == 1 else 1, lambda s: s or (1,), (2,))
)
vstack = composite(function=("vstack(inputs: tensors)", "vstack(tensors)"))(
    _by_shape("vstack", lambda n: 0, _at_least_2, (2, 1))
)
dstack = composite(mint=True)(_by_shape("dstack", lambda n: 2, _at_least_3, (1, 1, 2)))

# repetition ---------------------------------------------------------------------------------


@op(primitive="Tile()(input, dims)", mint="tile(input, dims)")
def tile(input: Array, dims):
    """Repeat `input` `dims[i]` times along dimension `i`; `dims` is aligned on the right.

    >>> ops.tile(Tensor([1, 2]), (2, 2)).asnumpy()
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    counts = dims if isinstance(dims, (tuple, list)) else (dims,)
    require(all(n >= 0 for n in counts), "not-negative", dims=dims)
    return jnp.tile(input, dims)


def _tile_method(self, *counts, dims=None, reps=None):
    """Repeat the tensor `reps[i]` times along dimension `i`; see `ops.tile`.

    >>> Tensor([1, 2]).tile((2,)).asnumpy()
    array([1, 2, 1, 2])
    """
    return tile(self, sizes((*counts, *(n for n in (dims, reps) if n is not None))))


def _repeat_method(self, *counts, repeats=None, axis=None):
    """Repeat the tensor `repeats[i]` times along dimension `i`, as `tile`; with `axis`, repeat each
    element along it, as `ops.repeat_interleave`.

    >>> Tensor([1, 2]).repeat(2).asnumpy()
    array([1, 2, 1, 2])
    """
    counts = counts if repeats is None else (*counts, repeats)
    if axis is not None:
        return repeat_interleave(self, counts[0], axis)
    return tile(self, sizes(counts))


@op(
    function="broadcast_to(input, shape)",
    primitive="BroadcastTo(shape)(input)",
    mint=("broadcast_to(input, shape)", "nn.functional.broadcast_to(input, shape)"),
    numpy="broadcast_to(array: input, shape)",
    view=True,
)
def broadcast_to(input: Array, shape):
    """Broadcast `input` to `shape`; -1 in it keeps the input's size.

    >>> ops.broadcast_to(Tensor([1, 2]), (2, -1)).asnumpy()
    array([[1, 2],
           [1, 2]])
    """
    extra = len(shape) - input.ndim
    kept = [input.shape[i - extra] if n == -1 and i >= extra else n for i, n in enumerate(shape)]
    return jnp.broadcast_to(input, tuple(kept))


def _broadcast_method(self, *shape, size=None):
    """Broadcast the tensor to a shape; see `ops.broadcast_to`.

    >>> Tensor([1.0]).broadcast_to((2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return broadcast_to(self, sizes(shape if size is None else (*shape, size)))


@composite(primitive="Expand()(x: input_x, shape: size)")
def expand(input_x, size):
    """As `broadcast_to`.

    >>> ops.expand(Tensor([1.0]), (2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return broadcast_to(input_x, sizes((size,)))


@composite(tensor=("expand_as(input, other)", "expand_as(input, x: other)"))
def expand_as(input, other):
    """Broadcast `input` to the shape of `other`.

    >>> Tensor([1.0]).expand_as(Tensor([1.0, 2.0])).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return broadcast_to(input, other.shape)


for _name, _method in [
    ("tile", _tile_method), ("repeat", _repeat_method), ("broadcast_to", _broadcast_method),
    ("expand", _broadcast_method),
]:  # fmt: skip
    attach(_name, _method)


@op(name="repeat_interleave", function="repeat_elements(x: input, rep: repeats, axis=0)")
def repeat_elements(input: Array, repeats, axis=0):
    """Repeat each element `repeats` times (an int, or a tuple of one count each) along `axis`.

    >>> ops.repeat_elements(Tensor([1, 2]), 2).asnumpy()
    array([1, 1, 2, 2])
    """
    if isinstance(repeats, int):
        return jnp.repeat(input, repeats, axis)
    check_size("repeat_interleave", (sum(repeats),), np.dtype(np.int64), "'repeats'")
    return jnp.take(input, np.repeat(np.arange(input.shape[axis]), repeats), axis)


@composite(
    tensor=(
        "repeat_interleave(input, repeats, dim: axis=None, *, output_size=None)",
        "repeat_interleave(input, repeats, axis=None)",
    ),
    numpy="repeat(a: input, repeats, axis=None)",
    function="repeat_interleave(input, repeats, axis=None)",
    mint="repeat_interleave(input, repeats, dim: axis=None, *, output_size=None)",
)
def repeat_interleave(input, repeats, axis=None, *, output_size=None):
    """Repeat each element `repeats` times along `axis`; of the flattened input if that is None.

    `repeats`: an int, or a sequence of one count each. `output_size`: the size of the result.

    >>> ops.repeat_interleave(Tensor([1, 2]), 2).asnumpy()
    array([1, 1, 2, 2])
    """
    if axis is None:
        input, axis = reshape(input, (-1,)), 0
    if hasattr(repeats, "tolist"):
        repeats = repeats.tolist()
    if isinstance(repeats, (tuple, list)) and len(repeats) == 1:
        repeats = repeats[0]
    result = repeat_elements(input, repeats, axis)
    size, fits = result.shape[axis], output_size in (None, result.shape[axis])
    require(fits, "sum-counts", "repeat_interleave", output_size=output_size, shape=size)
    return result


@op(
    primitive="ReverseV2(axis: dims)(input)",
    function=("flip(input, dims)", "reverse(x: input, axis: dims)"),
    tensor="reverse(input, axis: dims)",
    mint="flip(input, dims)",
)
def flip(input: Array, dims):
    """Reverse the order of the elements along `dims`, an int or a tuple of ints.

    >>> ops.flip(Tensor([1, 2, 3]), (0,)).asnumpy()
    array([3, 2, 1])
    """
    return jnp.flip(input, dims)


def _flip_method(self, *dims):
    """Reverse the order of the elements along `dims`; see `ops.flip`.

    >>> Tensor([1, 2, 3]).flip((0,)).asnumpy()
    array([3, 2, 1])
    """
    return flip(self, sizes(dims))


attach("flip", _flip_method)


@op(
    primitive="Roll(shifts, dims=None)(input)", tensor=True, mint=True,
    numpy="roll(a: input, shift: shifts, axis: dims=None)",
)  # fmt: skip
def roll(input: Array, shifts, dims=None):
    """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in
    one dimension.

    >>> ops.roll(Tensor([1, 2, 3]), 1).asnumpy()
    array([3, 1, 2])
    """
    return jnp.roll(input, shifts, dims)
