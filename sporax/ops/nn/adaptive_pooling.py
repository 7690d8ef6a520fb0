"""Pooling over nearly equal parts, one for each element of the result."""

import itertools
import math

import jax.numpy as jnp
import numpy as np

from sporax._src.core.dtype import from_numpy, int32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.casting import cast
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.operand_checks import floats_only, require_planes, tensors_only


@op(
    primitive="AdaptiveAvgPool2D(output_size)(input)",
    function="adaptive_avg_pool2d(input, output_size)",
    mint="nn.functional.adaptive_avg_pool2d(input, output_size)",
    check=floats_only("AdaptiveAvgPool2D"),
)
def adaptive_avg_pool2d(input: Array, output_size, axes=2):
    r"""Means over $H' \times W'$ nearly equal parts of each plane.

    `output_size`: an int or two; None keeps the size of an axis.

    >>> ops.adaptive_avg_pool2d(ops.ones((1, 3, 5, 7)), 2).shape
    (1, 3, 2, 2)
    """
    for axis, windows in enumerate(_windows(input, output_size, axes), -axes):
        input = jnp.moveaxis(_means(jnp.moveaxis(input, axis, -1), windows), -1, axis)
    return input


_adaptive_average = adaptive_avg_pool2d.declaration.face()


@composite(mint="nn.functional.adaptive_avg_pool1d")
def adaptive_avg_pool1d(input, output_size):
    """Means over `output_size` nearly equal parts of the last axis: `(N, C, L)` or `(C, L)`.

    >>> ops.adaptive_avg_pool1d(Tensor([[1.0, 2.0, 3.0, 5.0]]), 2).asnumpy()
    array([[1.5, 4. ]], dtype=float32)
    """
    return _adaptive_average(input, output_size, 1)


@composite(
    mint="nn.functional.adaptive_avg_pool3d", primitive="AdaptiveAvgPool3D(output_size)(input)"
)
def adaptive_avg_pool3d(input, output_size):
    """`adaptive_avg_pool2d` over the last three axes.

    >>> ops.adaptive_avg_pool3d(ops.ones((1, 3, 5, 7, 2)), (2, 2, None)).shape
    (1, 3, 2, 2, 2)
    """
    return _adaptive_average(input, output_size, 3)


@op(function=(), name="AdaptiveMaxPool2D", check=tensors_only("AdaptiveMaxPool2D"))
def adaptive_max_pool_with_index(input: Array, output_size, axes=2) -> Arrays:
    """As `adaptive_max_pool2d`, with the index of each maximum in its plane (Int64)."""
    # JAX rejects it only at compile time
    require(not jnp.iscomplexobj(input), "real-numbers-order-give", argument="input")
    kind = jnp.number if axes == 3 else jnp.floating  # as in MindSpore
    fits = jnp.issubdtype(input.dtype, kind)
    require(fits, "input-tensor-floating-dtype", got=from_numpy(input.dtype))
    windows = _windows(input, output_size, axes)
    shape = input.shape[-axes:]
    plane = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    seen = [plane[window].ravel() for window in itertools.product(*windows)]
    longest = max(map(len, seen))
    # a part with fewer elements repeats its last one
    elements = jnp.asarray([np.pad(s, (0, longest - len(s)), "edge") for s in seen])
    flat = input.reshape(*input.shape[:-axes], plane.size)
    best = jnp.argmax(flat[..., elements], -1)
    indices = elements[np.arange(len(seen)), best]
    shape = *input.shape[:-axes], *map(len, windows)
    return jnp.take_along_axis(flat, indices, -1).reshape(shape), indices.reshape(shape)


@composite(mint="nn.functional.adaptive_max_pool2d")
def adaptive_max_pool2d(input, output_size, return_indices=False):
    r"""Maxima over $H' \times W'$ nearly equal parts of each plane.

    `output_size`: an int or two; None keeps the size of an axis. `return_indices`: also return the
    index of each maximum in its plane.

    >>> ops.adaptive_max_pool2d(Tensor(np.arange(15.0).reshape(1, 3, 5)), 2).asnumpy()[0]
    array([[ 7.,  9.],
           [12., 14.]])
    """
    pooled, indices = adaptive_max_pool_with_index(input, output_size)
    return (pooled, indices) if return_indices else pooled


@composite(
    function=(), op="adaptive_max_pool_with_index",
    primitive="AdaptiveMaxPool2D(output_size)(input)",
)  # fmt: skip
def adaptive_max_pool2d_of_class(input, output_size) -> Arrays:
    """`adaptive_max_pool2d`, and the index of each maximum in its plane (Int64).

    >>> ops.AdaptiveMaxPool2D((1, 1))(Tensor([[[1.0, 5.0]]]))[1].asnumpy()
    array([[[1]]])
    """
    return adaptive_max_pool_with_index(input, output_size)


@composite(
    function=(), op="adaptive_max_pool_with_index",
    primitive="AdaptiveMaxPool3D()(x, output_size)",
)  # fmt: skip
def adaptive_max_pool3d_of_class(x, output_size) -> Arrays:
    """`adaptive_max_pool3d`, and the index of each maximum in its volume (Int32).

    >>> ops.AdaptiveMaxPool3D()(ops.ones((1, 2, 2, 2)), Tensor([1, 1, 1], ms.int32))[1].asnumpy()
    array([[[[0]]]], dtype=int32)
    """
    size = output_size.tolist() if isinstance(output_size, Tensor) else output_size
    size = tuple(size) if isinstance(size, list) else size
    return adaptive_max_pool3d(x, size, True)


@composite(
    function="adaptive_max_pool1d(input, output_size)", mint="nn.functional.adaptive_max_pool1d"
)
def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Maxima over `output_size` nearly equal parts of the last axis.

    >>> ops.adaptive_max_pool1d(Tensor([[1.0, 2.0, 3.0, 5.0]]), 2).asnumpy()
    array([[2., 5.]], dtype=float32)
    """
    pooled, indices = adaptive_max_pool_with_index(input, output_size, 1)
    return (pooled, indices) if return_indices else pooled


@composite()
def adaptive_max_pool3d(input, output_size, return_indices=False):
    """`adaptive_max_pool2d` over the last three axes; indices are Int32.

    >>> ops.adaptive_max_pool3d(ops.ones((1, 3, 5, 7, 2)), (2, 2, None)).shape
    (1, 3, 2, 2, 2)
    """
    if isinstance(input, Tensor) and not input.size:
        raise rejection("not-empty", "adaptive_max_pool3d", RuntimeError, input=input.shape)
    pooled, indices = adaptive_max_pool_with_index(input, output_size, 3)
    return (pooled, cast(indices, int32)) if return_indices else pooled


def _windows(input, output_size, axes):
    """Return the parts of each of the last axes; part i of n is from floor(i size / n) to ceil((i +
    1) size / n)."""
    require_planes(None, axes, input=input)
    wanted = output_size if isinstance(output_size, tuple) else (output_size,) * axes
    fits = len(wanted) == axes and all(n is None or (isinstance(n, int) and n > 0) for n in wanted)
    letters = ", ".join("DHW"[-axes:])
    require(fits, "size-or-size-per-axis", output_size=output_size, letters=letters)
    windows = []
    for size, n in zip(input.shape[-axes:], wanted, strict=True):
        n = size if n is None else n
        windows.append([slice(i * size // n, -(-(i + 1) * size // n)) for i in range(n)])
    return windows


def _means(x, windows):
    """Return the means of parts of the last axis. An element only affects the means of parts that
    contain it, so NaN does not spread, as it would in a product with a weight matrix."""
    sizes = np.array([window.stop - window.start for window in windows])
    if sizes.sum() == x.shape[-1]:  # no overlap: equal, consecutive parts
        return x.reshape(*x.shape[:-1], len(windows), -1).mean(-1)
    offset = np.arange(sizes.max())
    starts = np.array([window.start for window in windows])[:, None]
    counts = offset < sizes[:, None]
    taken = x[..., np.where(counts, starts + offset, starts)]
    return jnp.where(counts, taken, 0).sum(-1) / jnp.asarray(sizes, x.dtype)
