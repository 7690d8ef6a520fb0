"""Pooling by a non-integer factor (Graham, 2014), over parts of unequal sizes."""

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.nn.convolution import per_axis
from sporax.ops.operand_checks import require_shapes
from sporax.ops.random.continuous import rand
from sporax.ops.random.draws import next_key, source_of, uniform_from_key

_VOLUMES = kinds.one_of("NCDHW", "NDHWC")

# windows of one size, that begin at drawn places ------------------------------------------------


def _starts(samples, size, kernel, count):
    """Return the starts of an axis' windows: `(..., count)`. The last one ends with the axis."""
    last = jnp.full((*samples.shape, 1), size - kernel, jnp.int32)
    if count == 1:
        return last
    step = jnp.asarray((size - kernel) / (count - 1), samples.dtype)
    shift = samples[..., None]
    starts = jnp.floor((jnp.arange(count - 1) + shift) * step) - jnp.floor(shift * step)
    return jnp.concatenate([starts.astype(jnp.int32), last], -1)


@op(function=(), name="FractionalMaxPool")
def fractional_windows(input: Array, samples: Array, kernel, size) -> Arrays:
    """Return each window's maximum, and its index in the plane (Int64): `(N, C, *size)`.

    `input` `(N, C, *)`, `samples` `(N, C, axes)` from 0 to 1: the shifts of the windows along each
    of the last axes.
    """
    axes = len(kernel)
    plane = input.shape[2:]
    require(not jnp.iscomplexobj(input), "real-numbers-order-give", argument="input")
    letters = " ".join("DHW"[-axes:])
    require_shapes(input=(input, f"N C {letters}"), random_samples=(samples, f"N C {axes}"))
    fits = all(k + n - 1 <= m for k, n, m in zip(kernel, size, plane, strict=True))
    require(fits, "kernel-size-output-size-add-up", kernel=kernel, size=size, plane=plane)
    flat = jnp.zeros((1,) * (2 + 2 * axes), jnp.int32)
    for axis in range(axes):
        # planes: the sample for the last axis comes first; volumes: in the order of the axes
        drawn = samples[..., axes - 1 - axis if axes == 2 else axis]
        starts = _starts(drawn, plane[axis], kernel[axis], size[axis])
        positions = starts[..., None] + jnp.arange(kernel[axis], dtype=jnp.int32)
        shape = [1] * (2 * axes)
        shape[axis], shape[axes + axis] = size[axis], kernel[axis]
        flat = flat * plane[axis] + positions.reshape(*positions.shape[:2], *shape)
    flat = flat.reshape(*input.shape[:2], math.prod(size), math.prod(kernel))
    values = input.reshape(*input.shape[:2], 1, -1)
    seen = jnp.take_along_axis(values, flat, -1)
    best = jnp.argmax(seen, -1)[..., None]
    shape = (*input.shape[:2], *size)
    indices = jnp.take_along_axis(flat, best, -1).reshape(shape).astype(jnp.int64)
    return jnp.take_along_axis(seen, best, -1).reshape(shape), indices


def _output_size(who, input, output_size, output_ratio, axes):
    given = output_size is not None or output_ratio is not None
    require(given, "either-given", who, other="output_size", other2="output_ratio")
    if output_size is not None:
        return per_axis("output_size", output_size, axes)
    ratios = output_ratio if isinstance(output_ratio, tuple) else (output_ratio,) * axes
    fits = len(ratios) == axes and all(isinstance(r, float) and 0 < r < 1 for r in ratios)
    require(fits, "float-0-1-them", who, output_ratio=output_ratio, axes=axes)
    return tuple(int(n * r) for n, r in zip(input.shape[-axes:], ratios, strict=True))


def _pooled(who, input, kernel_size, output_size, output_ratio, return_indices, samples, axes):
    kinds.BOOL(who, return_indices=return_indices)
    size = _output_size(who, input, output_size, output_ratio, axes)
    is_batch = input.ndim == axes + 2
    x = input if is_batch else input.expand_dims(0)
    if samples is None:
        kind = input.dtype if input.is_floating_point() else None
        samples = rand(*x.shape[:2], axes, dtype=kind)
    elif samples.ndim == 3 and samples.shape[0] == 1 != x.shape[0]:
        samples = samples.broadcast_to((x.shape[0], *samples.shape[1:]))
    pooled = fractional_windows(x, samples, per_axis("kernel_size", kernel_size, axes), size)
    values, indices = pooled if is_batch else [t.squeeze(0) for t in pooled]
    return (values, indices) if return_indices else values


@composite()
def fractional_max_pool2d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
    _random_samples=None,
) -> Array | Arrays:  # fmt: skip
    """Maxima over `output_size` windows of `(N, C, H, W)` or `(C, H, W)`, with random starts.

    `kernel_size`: an int or two, the size of a window. `output_size`: an int or two; or
    `output_ratio`: a float in (0, 1) or two, the output's size over the input's. `return_indices`:
    also return the index of each maximum in its plane (Int64). `_random_samples`: `(N, C, 2)` in
    [0, 1), which determine the starts; drawn if not given.

    >>> ops.fractional_max_pool2d(ops.ones((1, 3, 7, 7)), 2, output_ratio=0.6).shape
    (1, 3, 4, 4)
    """
    return _pooled("fractional_max_pool2d", input, kernel_size, output_size, output_ratio,
                   return_indices, _random_samples, 2)  # fmt: skip


@composite()
def fractional_max_pool3d(
    input, kernel_size, output_size=None, output_ratio=None, return_indices=False,
    _random_samples=None,
) -> Array | Arrays:  # fmt: skip
    """As `fractional_max_pool2d`, for `(N, C, D, H, W)` or `(C, D, H, W)`.

    >>> ops.fractional_max_pool3d(ops.ones((1, 3, 5, 7, 7)), 2, (3, 4, 4)).shape
    (1, 3, 3, 4, 4)
    """
    return _pooled("fractional_max_pool3d", input, kernel_size, output_size, output_ratio,
                   return_indices, _random_samples, 3)  # fmt: skip


@composite(
    function=(), op="fractional_windows",
    primitive="FractionalMaxPoolWithFixedKsize(ksize, output_shape, data_format='NCHW')"
    "(input_x, random_samples)",
)  # fmt: skip
def fractional_max_pool2d_of_class(
    input_x, random_samples, ksize, output_shape, data_format="NCHW"
) -> Arrays:
    """As `fractional_max_pool2d`; returns both results.

    >>> pool = ops.FractionalMaxPoolWithFixedKsize(2, (3, 3))
    >>> pool(ops.ones((1, 1, 6, 6)), ops.zeros((1, 1, 2)))[0].shape
    (1, 1, 3, 3)
    """
    who = "FractionalMaxPoolWithFixedKsize"
    require(data_format == "NCHW", "must-equal", who, data_format=data_format, value="NCHW")
    return fractional_max_pool2d(input_x, ksize, output_shape, None, True, random_samples)


@composite(
    function=(), op="fractional_windows",
    primitive="FractionalMaxPool3DWithFixedKsize(ksize, output_shape, data_format='NCDHW')"
    "(x, random_samples)",
)  # fmt: skip
def fractional_max_pool3d_of_class(
    x, random_samples, ksize, output_shape, data_format="NCDHW"
) -> Arrays:
    """As `fractional_max_pool3d`; returns both results; `data_format` 'NCDHW' or 'NDHWC'.

    >>> pool = ops.FractionalMaxPool3DWithFixedKsize(2, (3, 3, 3))
    >>> pool(ops.ones((1, 1, 6, 6, 6)), ops.zeros((1, 1, 3)))[0].shape
    (1, 1, 3, 3, 3)
    """
    _VOLUMES("FractionalMaxPool3DWithFixedKsize", data_format=data_format)
    last = data_format == "NDHWC"
    x = x.moveaxis(-1, -4) if last else x
    pooled = fractional_max_pool3d(x, ksize, output_shape, None, True, random_samples)
    return tuple([t.moveaxis(-4, -1) for t in pooled]) if last else pooled


# parts between drawn boundaries -----------------------------------------------------------------


@op(function=(), name="FractionalMaxPool")
def pooled_regions(
    x: Array, rows: Array, columns: Array, longest, overlapping=False, mean=False
):  # fmt: skip
    """Return the maxima, or the means, of the parts of `(N, H, W, C)` between the boundaries `rows`
    and `columns`; an `overlapping` part includes its upper boundary. `longest`: the maximum length
    of a part along both axes."""
    axes = []
    for size, bounds, most in zip(x.shape[1:3], (rows, columns), longest, strict=True):
        positions = bounds[:-1, None] + jnp.arange(most + overlapping)
        ends = jnp.minimum(bounds[1:] + overlapping, size)
        axes.append((jnp.minimum(positions, size - 1), positions < ends[:, None]))
    (down, is_row), (across, is_column) = axes
    seen = x[:, down[:, None, :, None], across[None, :, None, :]]
    inside = (is_row[:, None, :, None] & is_column[None, :, None, :])[None, ..., None]
    whole = jnp.issubdtype(x.dtype, jnp.integer)
    if not mean:
        least = jnp.iinfo(x.dtype).min if whole else -jnp.inf
        return jnp.where(inside, seen, jnp.asarray(least, x.dtype)).max((3, 4))
    total, counts = jnp.where(inside, seen, 0).sum((3, 4)), inside.sum((3, 4))
    return (total // counts if whole else total / counts.astype(x.dtype)).astype(x.dtype)


@op(function=(), name="FractionalMaxPool", differentiable=False)
def region_boundaries(draws: Array, size, count, pseudo_random):
    r"""Return `count + 1` ascending boundaries (Int64) from 0 to `size`, of parts with floor(size /
    count) elements or one more, from `count` numbers in [0, 1). `pseudo_random`: $\lceil a (i + u)
    \rceil - 1$ with a = size / count and one drawn u; else the lengths in a random order (Graham,
    2014, section 2)."""
    least = size // count
    if pseudo_random:
        ratio = size / count
        most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        inner = jnp.ceil(ratio * (jnp.arange(1, count) + draws[0] * most)) - 1
    else:
        lengths = least + (jnp.argsort(jnp.argsort(draws)) < size % count)
        inner = jnp.cumsum(lengths)[:-1]
    return jnp.concatenate([jnp.zeros(1), inner, jnp.full(1, size)]).astype(jnp.int64)


def _fractional(itself, x, mean):
    who, ratio = itself.name, itself.pooling_ratio
    numbers = isinstance(ratio, (list, tuple)) and all(isinstance(r, float) for r in ratio)
    fits = numbers and len(ratio) == 4 and min(ratio) >= 1 and ratio[0] == ratio[3] == 1
    require(fits, "4-floats-1-0", who, pooling_ratio=ratio)
    require_shapes(who, x=(x, "N H W C"))
    own = source_of(itself, itself.seed, itself.seed2)
    boundaries, longest = [], []
    for axis, size in enumerate(x.shape[1:3]):
        count = int(size / ratio[axis + 1])
        key = Tensor(np.array([itself.seed2, 2 * itself.seed + axis], np.uint32))
        key = key if itself.deterministic else next_key(own)
        draws = uniform_from_key(key, (count,), np.dtype(np.float64))
        boundaries.append(region_boundaries(draws, size, count, bool(itself.pseudo_random)))
        longest.append(-(-size // count))
    rows, columns = boundaries
    pooled = pooled_regions(x, rows, columns, tuple(longest), bool(itself.overlapping), mean)
    return pooled, rows, columns


_SETTINGS = ("(pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, "
             "seed2=0)(x)")  # fmt: skip


@composite(function=(), primitive=f"FractionalMaxPool{_SETTINGS}", op="pooled_regions")
def fractional_max_pool_of_class(
    itself, x, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
    seed2=0,
) -> Arrays:  # fmt: skip
    """Maxima over nearly equal parts of `(N, H, W, C)`, and the parts' boundaries along rows and
    columns (Int64).

    `pooling_ratio`: [1.0, rows, columns, 1.0], the reduction factor of each axis, at least 1.0.
    `pseudo_random`: the method to draw the boundaries (Graham, 2014). `overlapping`: a part
    includes its upper boundary. `deterministic`: the same boundaries on each call. `seed`, `seed2`:
    if both are 0, `set_seed` governs.

    >>> pool = ops.FractionalMaxPool([1.0, 1.5, 1.5, 1.0])
    >>> pooled, rows, columns = pool(ops.ones((1, 6, 6, 2)))
    >>> pooled.shape, rows.shape
    ((1, 4, 4, 2), (5,))
    """
    return _fractional(itself, x, False)


@composite(function=(), primitive=f"FractionalAvgPool{_SETTINGS}", op="pooled_regions")
def fractional_avg_pool_of_class(
    itself, x, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0,
    seed2=0,
) -> Arrays:  # fmt: skip
    """Means over nearly equal parts of `(N, H, W, C)`; otherwise as `FractionalMaxPool`.

    >>> pool = ops.FractionalAvgPool([1.0, 1.5, 1.5, 1.0])
    >>> pooled, rows, columns = pool(ops.ones((1, 6, 6, 2)))
    >>> pooled.shape, rows.shape
    ((1, 4, 4, 2), (5,))
    """
    return _fractional(itself, x, True)
