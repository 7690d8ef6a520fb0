"""Resizing of images and signals: `interpolate`, and crops."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, composite, op
from sporax.ops.math.arithmetic import floating
from sporax.ops.operand_checks import floats_only, require_shapes

# Each axis is resized separately. An output element is a weighted sum of a few input elements;
# these functions return the indices of these elements and the weights, both (terms, n_out). `step`
# is the distance of adjacent outputs, in input elements; None stands for n_in / n_out.


def _nearest(n_in, n_out, step, corners):
    i = np.arange(n_out)
    if corners and n_out > 1:
        indices = np.floor(i * (n_in - 1) / (n_out - 1) + 0.5).astype(int)
    else:
        indices = i * n_in // n_out if step is None else np.floor(i * step).astype(int)
    return _one(indices, n_in)


def _nearest_exact(n_in, n_out, step, corners):
    i = np.arange(n_out)
    indices = (2 * i + 1) * n_in // (2 * n_out) if step is None else np.floor((i + 0.5) * step)
    return _one(indices, n_in)


def _one(indices, n_in):
    return np.minimum(indices, n_in - 1).astype(int)[None], None


def _positions(n_in, n_out, step, corners):
    """Return the positions of output elements in input coordinates."""
    i = np.arange(n_out)
    if corners:
        return i * ((n_in - 1) / max(n_out - 1, 1))
    return (i + 0.5) * (n_in / n_out if step is None else step) - 0.5


def _between(positions, n_in):
    """Return the two neighbours of each position, and their weights."""
    positions = np.clip(positions, 0, n_in - 1)
    low = np.floor(positions).astype(int)
    share = positions - low
    return np.stack([low, np.minimum(low + 1, n_in - 1)]), np.stack([1 - share, share])


def _linear(n_in, n_out, step, corners):
    return _between(_positions(n_in, n_out, step, corners), n_in)


def _linear_from_edges(n_in, n_out, step, corners):
    return _between(np.arange(n_out) * (n_in / n_out), n_in)


def _cubic(n_in, n_out, step, corners):
    return _keys(_positions(n_in, n_out, step, corners), n_in, -0.75)


def _cubic_half(n_in, n_out, step, corners):
    return _keys(_positions(n_in, n_out, step, corners), n_in, -0.5, inside_only=True)


def _cubic_from_edges(n_in, n_out, step, corners):
    return _keys(np.arange(n_out) * (n_in / n_out), n_in, -0.75)


def _keys(positions, n_in, a, inside_only=False):
    """Keys' cubic convolution with parameter `a`; `inside_only`: ignores elements outside."""
    low = np.floor(positions).astype(int)
    near = positions - low

    def inside(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def outside(d):
        return ((d - 5) * d + 8) * d * a - 4 * a

    weights = [outside(near + 1), inside(near), inside(1 - near), outside(2 - near)]
    indices, weights = low + np.arange(-1, 3)[:, None], np.stack(weights)
    if inside_only:
        weights = np.where((indices >= 0) & (indices < n_in), weights, 0)
        weights = weights / weights.sum(0)
    return np.clip(indices, 0, n_in - 1), weights


def _area(n_in, n_out, step, corners):
    i = np.arange(n_out)
    first, end = i * n_in // n_out, -(-(i + 1) * n_in // n_out)
    indices = first + np.arange((end - first).max())[:, None]
    return np.minimum(indices, n_in - 1), np.where(indices < end, 1 / (end - first), 0)


def _exact_area(n_in, n_out, step, corners):
    """Return the input elements that output elements cover, weighted by the covered part."""
    scale = (n_in - 1) / (n_out - 1) if corners and n_out > 1 else n_in / n_out
    start = np.arange(n_out) * scale
    first, end = np.floor(start).astype(int), np.ceil(start + scale).astype(int)
    indices = first + np.arange((end - first).max())[:, None]
    covered = np.clip(np.minimum(indices + 1, start + scale) - np.maximum(indices, start), 0, None)
    return np.clip(indices, 0, n_in - 1), covered / scale


_TAPS = {
    "nearest": _nearest,
    "nearest-exact": _nearest_exact,
    "linear": _linear,
    "linear-from-edges": _linear_from_edges,
    "cubic": _cubic,
    "cubic-half": _cubic_half,
    "cubic-from-edges": _cubic_from_edges,
    "exact-area": _exact_area,
    "area": _area,
}

# mode -> (key of `_TAPS`, numbers of axes that the input may have, whether corners can be aligned)
_MODES = {
    "nearest": ("nearest", (3, 4, 5), False),
    "nearest-exact": ("nearest-exact", (3, 4), False),
    "linear": ("linear", (3,), True),
    "bilinear": ("linear", (4,), True),
    "trilinear": ("linear", (5,), True),
    "bicubic": ("cubic", (4,), True),
    "area": ("area", (3, 4, 5), False),
}
_MODE, _METHOD = kinds.one_of(*_MODES), kinds.one_of("bilinear", "nearest")
_TRANSFORM = kinds.one_of("align_corners", "half_pixel")


def _along(x, axis, n_out, taps, step, corners):
    if n_out == x.shape[axis] and step is None:
        return x
    indices, weights = _TAPS[taps](x.shape[axis], n_out, step, corners)
    if weights is None:
        return jnp.take(x, indices[0], axis)
    shape = [-1 if a == axis else 1 for a in range(x.ndim)]
    terms = [
        jnp.take(x, index, axis) * weight.astype(x.dtype).reshape(shape)
        for index, weight in zip(indices, weights, strict=True)
    ]
    return sum(terms)


@op(name="interpolate", function=())
def interpolate_axes(input: Array, *, size, taps, steps=None, align_corners=False):
    """Resize the last axes of `input` to `size`, one axis after the other.

    `taps`: a key of `_TAPS`; `steps`: its `step` for each axis.
    """
    if not taps.startswith("nearest"):
        input = floating(input)
    dtype = input.dtype
    if jnp.issubdtype(dtype, jnp.floating) and dtype.itemsize == 2:
        input = input.astype(jnp.float32)  # rounded once
    steps = steps or (None,) * len(size)
    for axis, (n_out, step) in enumerate(zip(size, steps, strict=True), input.ndim - len(size)):
        input = _along(input, axis, n_out, taps, step, align_corners)
    return input.astype(dtype)


def _for_each(name, value, count, kind):
    """Return an item for each axis, from one for all or a sequence."""
    items = (value,) * count if isinstance(value, kind) else value
    fits = isinstance(items, (tuple, list)) and all(isinstance(n, kind) for n in items)
    require(fits, "number-tuple-numbers", "interpolate", argument=name, got=value)
    given = {"argument": name, "count": count, "got": value}
    require(len(items) == count and min(items) > 0, "positive-numbers", "interpolate", **given)
    return tuple(items)


@composite(mint="nn.functional.interpolate")
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None,
):  # fmt: skip
    """Resize `input` `(N, C, ...)` along all axes after the first two.

    `size`: the new sizes, or `scale_factor`: the factor of each; one for all axes, or a tuple.
    `mode`: 'nearest', 'nearest-exact', 'area', 'linear' (for 3 axes), 'bilinear', 'bicubic' (4) or
    'trilinear' (5). `align_corners`: aligns the outermost elements, else the outer edges.
    `recompute_scale_factor`: derives the scale from the rounded-down sizes, else uses
    `scale_factor` itself.

    >>> ops.interpolate(Tensor([[[1.0, 2.0]]]), size=3, mode="linear").asnumpy()
    array([[[1. , 1.5, 2. ]]], dtype=float32)
    """
    who = "interpolate"
    _MODE(who, mode=mode)
    taps, dims, has_corners = _MODES[mode]
    require(input.ndim in dims, "mode-input-dimensions", who, mode=mode, dims=dims, got=input.ndim)
    fits = align_corners is None or has_corners
    require(fits, "none-mode", who, align_corners=align_corners, mode=mode)
    _require_one(who, size=size, scale_factor=scale_factor)
    steps, count = None, input.ndim - 2
    if size is None:
        scales = _for_each("scale_factor", scale_factor, count, (int, float))
        size = tuple(int(n * s) for n, s in zip(input.shape[2:], scales, strict=True))
        if not recompute_scale_factor and mode != "area":
            steps = tuple(1 / s for s in scales)
    size = _for_each("size", size, count, int)
    return interpolate_axes(
        input, size=size, taps=taps, steps=steps, align_corners=bool(align_corners)
    )  # fmt: skip


def _require_one(who, **either):
    """Raise ValueError unless one of two arguments is given."""
    (name, one), (other, another) = either.items()
    given = {"other": name, "other2": other, "got": one, "scale_factor": another}
    require((one is None) != (another is None), "one-given", who, **given)


def _image_size(who, x, size, axes=2):
    """Return `size`, a tuple, list or Tensor, as ints, checked for the last `axes` of `x`."""
    sizes = size.tolist() if isinstance(size, Tensor) else size
    fits = isinstance(sizes, tuple | list) and len(sizes) == axes
    fits = fits and all(isinstance(n, int) and n > 0 for n in sizes)
    require(fits, "positive-ints", who, size=sizes, n=axes)
    require(x.ndim == axes + 2, "image-dimensions", who, number=axes + 2, shape=x.shape)
    return tuple(sizes)


def _one_alignment(who, align_corners, half_pixel_centers):
    given = {"align_corners": align_corners, "half_pixel_centers": half_pixel_centers}
    fits = not align_corners or not half_pixel_centers
    require(fits, "half-pixel-centers-not-both-true", who, **given)


@composite(
    primitive=(
        "ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)"
        "(input_x: image)",
        "ResizeNearestNeighborV2(align_corners=False, half_pixel_centers=False)(image, size)",
    ),
    function=(),
)
def resize_nearest(image, size, align_corners=False, half_pixel_centers=False):
    """`(N, C, H, W)` -> `(N, C, *size)` by nearest-neighbour interpolation.

    >>> ops.ResizeNearestNeighbor((2, 4))(Tensor([[[[1.0, 2.0]]]])).asnumpy()
    array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]], dtype=float32)
    """
    size = _image_size("ResizeNearestNeighbor", image, size)
    _one_alignment("ResizeNearestNeighbor", align_corners, half_pixel_centers)
    taps = "nearest-exact" if half_pixel_centers else "nearest"
    return interpolate_axes(image, size=size, taps=taps, align_corners=align_corners)


@composite(
    mint="nn.functional.upsample(input, size=None, scale_factor=None, mode='nearest', "
    "align_corners=None)",
)
def upsample(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None,
):  # fmt: skip
    """Alias of `interpolate`.

    >>> ops.upsample(Tensor([[[1.0, 2.0]]]), size=(4,)).asnumpy()
    array([[[1., 1., 2., 2.]]], dtype=float32)
    """
    return interpolate(
        input, size, scale_factor, mode, align_corners, recompute_scale_factor
    )  # fmt: skip


@composite(
    primitive=(
        "ResizeBilinearV2(align_corners=False, half_pixel_centers=False)(image, size)",
        "ResizeBilinear(size, align_corners=False, half_pixel_centers=False)(x: image)",
    ),
    function=(),
)
def resize_bilinear(image, size, align_corners=False, half_pixel_centers=False):
    """`(N, C, H, W)` -> `(N, C, *size)` by bilinear interpolation.

    `align_corners`: aligns the outermost elements. Else `half_pixel_centers`: aligns the outer
    edges; neither: aligns the first element.

    >>> ops.ResizeBilinear((4, 4))(ops.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """
    size = _image_size("ResizeBilinear", image, size)
    taps = "linear" if align_corners or half_pixel_centers else "linear-from-edges"
    return interpolate_axes(image, size=size, taps=taps, align_corners=align_corners)


@composite(
    primitive="ResizeBicubic(align_corners=False, half_pixel_centers=False)(image, size)",
    function=(),
)
def resize_bicubic(image, size, align_corners=False, half_pixel_centers=False):
    """`(N, C, H, W)` -> `(N, C, *size)` by cubic interpolation of the nearest four elements of both
    axes (Keys, 1981).

    `align_corners`: aligns the outermost elements. Else `half_pixel_centers`: aligns the outer
    edges; neither: aligns the first element.

    >>> ops.ResizeBicubic()(Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), (1, 4)).asnumpy()
    array([[[[1.     , 1.5    , 2.     , 2.09375]]]], dtype=float32)
    """
    size = _image_size("ResizeBicubic", image, size)
    _one_alignment("ResizeBicubic", align_corners, half_pixel_centers)
    taps = "cubic" if align_corners else "cubic-half" if half_pixel_centers else "cubic-from-edges"
    return interpolate_axes(image, size=size, taps=taps, align_corners=align_corners)


@composite(
    primitive="ResizeLinear1D(coordinate_transformation_mode='align_corners')(x: image, size)",
    function=(),
)
def resize_linear1d(image, size, coordinate_transformation_mode="align_corners"):
    """`(N, C, L)` -> `(N, C, *size)` by linear interpolation; aligns the outermost elements, or
    with 'half_pixel' the outer edges.

    >>> ops.ResizeLinear1D()(Tensor([[[1.0, 2.0, 3.0]]]), (5,)).asnumpy()
    array([[[1. , 1.5, 2. , 2.5, 3. ]]], dtype=float32)
    """
    size = _image_size("ResizeLinear1D", image, size, 1)
    _TRANSFORM("ResizeLinear1D", coordinate_transformation_mode=coordinate_transformation_mode)
    align_corners = coordinate_transformation_mode == "align_corners"
    return interpolate_axes(image, size=size, taps="linear", align_corners=align_corners)


@composite(primitive="ResizeArea(align_corners=False)(images, size)", function=())
def resize_area(images, size, align_corners=False):
    """`(N, H, W, C)` -> `(N, *size, C)` in Float32: each element is the mean of the input area that
    it covers, with partly covered elements weighted by the covered part.

    `align_corners`: aligns the positions of the outermost elements, else the outer edges.

    >>> x = Tensor([[[[2.0], [4.0], [6.0], [8.0]]]])
    >>> ops.ResizeArea()(x, (1, 2)).asnumpy().ravel()
    array([3., 7.], dtype=float32)
    """
    size = _image_size("ResizeArea", images, size)
    first = images.float().permute(0, 3, 1, 2)
    resized = interpolate_axes(first, size=size, taps="exact-area", align_corners=align_corners)
    return resized.permute(0, 2, 3, 1)


_THREE_FACTORS = kinds.sequence_of(kinds.POSITIVE_FLOAT, 3)


def _upsampled(who, x, output_size, scales, taps, align_corners=False):
    """Resize volumes `(N, C, D, H, W)` to this size, or by these factors."""
    _require_one(who, output_size=output_size, scales=scales)
    steps = None
    if output_size is None:
        _THREE_FACTORS(who, scales=scales)
        output_size = [int(n * s) for n, s in zip(x.shape[2:], scales, strict=True)]
        steps = tuple(1 / s for s in scales)
    if taps == "linear":
        floats_only(who)(x._value.aval)
    size = _image_size(who, x, output_size, 3)
    return interpolate_axes(x, size=size, taps=taps, steps=steps, align_corners=align_corners)


@composite(primitive="UpsampleNearest3D()(x, output_size=None, scales=None)", function=())
def upsample_nearest3d(x, output_size=None, scales=None):
    """Resize `(N, C, D, H, W)` to the sizes `output_size`, or by the factors `scales`, one per
    axis, by nearest-neighbour interpolation.

    >>> ops.UpsampleNearest3D()(Tensor([[[[[1.0, 2.0]]]]]), [1, 1, 4]).asnumpy().ravel()
    array([1., 1., 2., 2.], dtype=float32)
    """
    return _upsampled("UpsampleNearest3D", x, output_size, scales, "nearest")


@composite(
    primitive="UpsampleTrilinear3D(align_corners=False)(x, output_size=None, scales=None)",
    function=(),
)
def upsample_trilinear3d(x, output_size=None, scales=None, align_corners=False):
    """Resize `(N, C, D, H, W)` to the sizes `output_size`, or by the factors `scales`, one per
    axis, by linear interpolation; `align_corners`: aligns the outermost elements, else the edges.

    >>> ops.UpsampleTrilinear3D()(Tensor([[[[[1.0, 2.0]]]]]), [1, 1, 4]).asnumpy().ravel()
    array([1.  , 1.25, 1.75, 2.  ], dtype=float32)
    """
    return _upsampled("UpsampleTrilinear3D", x, output_size, scales, "linear", align_corners)


@op(
    bounds=lambda image, box_indices, **_: [Range(box_indices, image.shape[0], 0)],
    primitive="CropAndResize(method='bilinear', extrapolation_value=0.0)"
    "(x: image, boxes, box_indices, crop_size)",
)
def crop_and_resize(
    image: Array, boxes: Array, box_indices: Array, crop_size, method="bilinear",
    extrapolation_value=0.0,
):  # fmt: skip
    """Crop boxes from images `(N, H, W, C)` and resize each: `(n, *crop_size, C)`.

    `boxes`: `(n, 4)`, rows (y1, x1, y2, x2), with 0 and 1 at the outermost pixels; `box_indices`:
    `(n,)`, the image of each box. `method`: 'bilinear' or 'nearest'. Points outside the image are
    `extrapolation_value`.

    >>> image, box = ops.ones((1, 4, 4, 3)), Tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> ops.crop_and_resize(image, box, Tensor([0]), (2, 2)).shape
    (1, 2, 2, 3)
    """
    _METHOD(None, method=method)
    require_shapes(x=(image, "N H W C"), boxes=(boxes, "* 4"), box_indices=(box_indices, "*"))
    image = image.astype(jnp.promote_types(jnp.float32, image.dtype))
    ys, y_in = _box_positions(boxes[:, 0], boxes[:, 2], image.shape[1], crop_size[0])
    xs, x_in = _box_positions(boxes[:, 1], boxes[:, 3], image.shape[2], crop_size[1])
    image_index = box_indices[:, None, None]

    def pixels(y, x):
        return image[image_index, y.astype(int)[:, :, None], x.astype(int)[:, None, :]]

    if method == "nearest":
        out = pixels(jnp.floor(ys + 0.5), jnp.floor(xs + 0.5))
    else:
        top, left = jnp.floor(ys), jnp.floor(xs)
        bottom, right = jnp.ceil(ys), jnp.ceil(xs)
        down, along = (ys - top)[:, :, None, None], (xs - left)[:, None, :, None]
        upper = pixels(top, left) * (1 - along) + pixels(top, right) * along
        lower = pixels(bottom, left) * (1 - along) + pixels(bottom, right) * along
        out = upper * (1 - down) + lower * down
    inside = y_in[:, :, None, None] & x_in[:, None, :, None]
    return jnp.where(inside, out, extrapolation_value)


def _box_positions(start, end, n_in, n_out):
    """Return the positions of each box's outputs on an axis of the image, and True if inside."""
    start, end = start[:, None] * (n_in - 1), end[:, None] * (n_in - 1)
    fractions = jnp.linspace(0, 1, n_out) if n_out > 1 else jnp.full(1, 0.5)
    positions = start + (end - start) * fractions.astype(start.dtype)
    return jnp.clip(positions, 0, n_in - 1), (positions >= 0) & (positions <= n_in - 1)
