"""Images and volumes sampled at the points of a grid."""

import functools
import itertools
import operator

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.operand_checks import require_shapes

_MODES = "bilinear", "nearest"
_BEYOND = "zeros", "border", "reflection"


def _positions(grid, size, corners):
    """Map [-1, 1] to indices: -1 and 1 are the outermost centres (`corners`), or edges."""
    return (grid + 1) * 0.5 * (size - 1) if corners else ((grid + 1) * size - 1) * 0.5


def _reflected(position, size, corners):
    """Reflect positions until they lie inside."""
    low, span = (0.0, size - 1.0) if corners else (-0.5, float(size))
    if span == 0:
        return jnp.zeros_like(position)
    phase = jnp.mod(position - low, 2 * span)
    return jnp.where(phase > span, 2 * span - phase, phase) + low


@op(
    name="grid_sample",
    mint="nn.functional.grid_sample",
    primitive=tuple(
        f"GridSampler{axes}D(interpolation_mode: mode='bilinear', padding_mode='zeros', "
        "align_corners=False)(input_x: input, grid)"
        for axes in (2, 3)
    ),
)
def grid_sample(
    input: Array, grid: Array, mode="bilinear", padding_mode="zeros", align_corners=None
):
    """Sample `input` `(N, C, H, W)` at the points `grid` `(N, H', W', 2)`, rows (x, y) in [-1, 1].

    Or `(N, C, D, H, W)` at (x, y, z). `mode`: 'bilinear' or 'nearest'. `padding_mode`, beyond the
    edges: 'zeros', 'border' (the edge) or 'reflection'. `align_corners`: -1 and 1 are the centres
    of the outermost elements, else the outer edges.

    >>> grid = Tensor([[[[-0.5, 0.0], [0.0, 0.0]]]])
    >>> ops.grid_sample(Tensor([[[[1.0, 3.0]]]]), grid).asnumpy()
    array([[[[1., 2.]]]], dtype=float32)
    """
    _check(input, grid, mode=(mode, _MODES), padding_mode=(padding_mode, _BEYOND))
    axes, positions = input.ndim - 2, []
    for axis, size in enumerate(input.shape[2:]):  # x, the last axis, comes first in `grid`
        position = _positions(grid[..., axes - 1 - axis], size, align_corners)
        if padding_mode == "reflection":
            position = _reflected(position, size, align_corners)
        positions.append(position if padding_mode == "zeros" else jnp.clip(position, 0, size - 1))
    if mode == "nearest":
        return jnp.moveaxis(_pixels(input, [jnp.round(position) for position in positions]), -1, 1)
    low = [jnp.floor(position) for position in positions]
    shares = [position - first for position, first in zip(positions, low, strict=True)]
    total = 0
    for side in itertools.product((0, 1), repeat=axes):
        factors = [s if further else 1 - s for s, further in zip(shares, side, strict=True)]
        weight = functools.reduce(operator.mul, factors)
        corner = [first + further for first, further in zip(low, side, strict=True)]
        total = total + _pixels(input, corner) * weight[..., None]
    return jnp.moveaxis(total, -1, 1)


def _check(input, grid, **choices):
    axes = 3 if input.ndim == 5 else 2
    letters, primed = " ".join("DHW"[-axes:]), " ".join(f"{x}'" for x in "DHW"[-axes:])
    same, own = grid.dtype == input.dtype, input.dtype
    require(same, "dtype-of", argument="grid", other="input", dtype=own, got=grid.dtype)
    require_shapes(input=(input, f"N C {letters}"), grid=(grid, f"N {primed} {axes}"))
    for name, (value, known) in choices.items():
        kinds.one_of(*known).checked(None, name, value)


def _pixels(input, indices):
    """Return the elements of `input` at integral `indices`, channels last; zeros outside."""
    sizes, inside = input.shape[2:], np.array(True)
    for index, size in zip(indices, sizes, strict=True):
        inside = inside & (index >= 0) & (index < size)
    kept = [jnp.clip(p, 0, n - 1).astype(int) for p, n in zip(indices, sizes, strict=True)]
    examples = jnp.arange(len(input)).reshape(-1, *[1] * len(indices))
    pixels = jnp.moveaxis(input, 1, -1)[examples, *kept]
    return jnp.where(inside[..., None], pixels, 0)


@composite(primitive="AffineGrid(align_corners=False)(theta, size)")
def affine_grid(theta, size, align_corners=False):
    """Map the points of an image by each affine map `theta` `(N, 2, 3)`: `(N, H, W, 2)`.

    `size`: (N, C, H, W); or `theta` `(N, 3, 4)` and `size` (N, C, D, H, W). For `grid_sample`.

    >>> ops.affine_grid(Tensor([[[1.0, 0, 0], [0, 1, 0]]]), (1, 1, 1, 2)).asnumpy()
    array([[[[-0.5,  0. ],
             [ 0.5,  0. ]]]], dtype=float32)
    """
    axes = len(size) - 2
    fits = axes in (2, 3) and theta.shape == (size[0], axes, axes + 1)
    require(fits, "n-2-3-size", "affine_grid", theta=theta.shape, size=tuple(size))
    along = []
    for n in size[2:]:
        step = np.linspace(-1, 1, n) if align_corners else (np.arange(n) * 2 + 1) / n - 1
        along.append(step if n > 1 or not align_corners else np.zeros(1))
    grid = np.meshgrid(*along, indexing="ij")[::-1]
    points = np.stack([*grid, np.ones_like(grid[0])], -1).reshape(-1, axes + 1)
    result = theta.matmul(Tensor(points.T, theta.dtype))
    return result.swapaxes(1, 2).reshape(size[0], *size[2:], axes)
