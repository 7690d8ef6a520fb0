"""Images and signals of other sizes: `interpolate`, and crops."""

import jax.numpy as jnp
import numpy as np

from sporax.index_checks.ranges import Range
from sporax.ops.declare import Array, composite, op
from sporax.ops.math.arithmetic import floating

# Each axis is resized by itself. An output element is a weighted sum of a few input elements;
# these functions give the input's places and the weights, both (terms, n_out). `step` is the
# distance of neighbours in the output, in input elements; None stands for n_in / n_out.


def _nearest(n_in, n_out, step, corners):
    i = np.arange(n_out)
    if corners and n_out > 1:
        at = np.floor(i * (n_in - 1) / (n_out - 1) + 0.5).astype(int)
    else:
        at = i * n_in // n_out if step is None else np.floor(i * step).astype(int)
    return _one(at, n_in)


def _nearest_exact(n_in, n_out, step, corners):
    i = np.arange(n_out)
    at = (2 * i + 1) * n_in // (2 * n_out) if step is None else np.floor((i + 0.5) * step)
    return _one(at, n_in)


def _one(at, n_in):
    return np.minimum(at, n_in - 1).astype(int)[None], None


def _places(n_in, n_out, step, corners):
    """Where output elements lie among input elements."""
    i = np.arange(n_out)
    if corners:
        return i * ((n_in - 1) / max(n_out - 1, 1))
    return (i + 0.5) * (n_in / n_out if step is None else step) - 0.5


def _between(at, n_in):
    """The two neighbours of each place, and their weights."""
    at = np.clip(at, 0, n_in - 1)
    low = np.floor(at).astype(int)
    return np.stack([low, np.minimum(low + 1, n_in - 1)]), np.stack([1 - (at - low), at - low])


def _linear(n_in, n_out, step, corners):
    return _between(_places(n_in, n_out, step, corners), n_in)


def _linear_from_edges(n_in, n_out, step, corners):
    return _between(np.arange(n_out) * (n_in / n_out), n_in)


def _cubic(n_in, n_out, step, corners):
    at = _places(n_in, n_out, step, corners)
    low = np.floor(at).astype(int)
    near, a = at - low, -0.75  # Keys' cubic convolution

    def inside(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def outside(d):
        return ((d - 5) * d + 8) * d * a - 4 * a

    weights = [outside(near + 1), inside(near), inside(1 - near), outside(2 - near)]
    return np.clip(low + np.arange(-1, 3)[:, None], 0, n_in - 1), np.stack(weights)


def _area(n_in, n_out, step, corners):
    i = np.arange(n_out)
    first, end = i * n_in // n_out, -(-(i + 1) * n_in // n_out)
    at = first + np.arange((end - first).max())[:, None]
    return np.minimum(at, n_in - 1), np.where(at < end, 1 / (end - first), 0)


_TAPS = {
    "nearest": _nearest,
    "nearest-exact": _nearest_exact,
    "linear": _linear,
    "linear-from-edges": _linear_from_edges,
    "cubic": _cubic,
    "area": _area,
}

# mode -> (which of these, how many axes the input may have, whether corners can be aligned)
_MODES = {
    "nearest": ("nearest", (3, 4, 5), False),
    "nearest-exact": ("nearest-exact", (3, 4), False),
    "linear": ("linear", (3,), True),
    "bilinear": ("linear", (4,), True),
    "trilinear": ("linear", (5,), True),
    "bicubic": ("cubic", (4,), True),
    "area": ("area", (3, 4, 5), False),
}


def _along(x, axis, n_out, taps, step, corners):
    if n_out == x.shape[axis] and step is None:
        return x
    places, weights = _TAPS[taps](x.shape[axis], n_out, step, corners)
    if weights is None:
        return jnp.take(x, places[0], axis)
    shape = [-1 if a == axis else 1 for a in range(x.ndim)]
    parts = [
        jnp.take(x, at, axis) * weight.astype(x.dtype).reshape(shape)
        for at, weight in zip(places, weights, strict=True)
    ]
    return sum(parts)


@op(name="interpolate", function=())
def interpolate_axes(input: Array, *, size, taps, steps=None, align_corners=False):
    """The last axes of `input` with the sizes `size`, one axis after the other.

    `taps`: the name of what says which elements are summed; `steps`: its `step` for each axis.
    """
    if not taps.startswith("nearest"):
        input = floating(input)
    steps = steps or (None,) * len(size)
    for axis, (n_out, step) in enumerate(zip(size, steps, strict=True), input.ndim - len(size)):
        input = _along(input, axis, n_out, taps, step, align_corners)
    return input


def _for_each(name, value, count, kind):
    """An item for each axis, from one for all or a sequence."""
    items = (value,) * count if isinstance(value, kind) else value
    if not isinstance(items, (tuple, list)) or not all(isinstance(n, kind) for n in items):
        raise TypeError(
            f"For 'interpolate', '{name}' must be a number or a tuple of numbers, but got "
            f"{value!r:.80}."
        )
    if len(items) != count or min(items) <= 0:
        raise ValueError(
            f"For 'interpolate', '{name}' must have {count} positive numbers, one for each axis "
            f"after the first two, but got {value}."
        )
    return tuple(items)


@composite(mint="nn.functional.interpolate")
def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None,
):  # fmt: skip
    """`input` `(N, C, ...)` resized along all axes after the first two.

    `size`: the new sizes, or `scale_factor`: by how much each grows; one for all axes, or a tuple.
    `mode`: 'nearest', 'nearest-exact', 'area', 'linear' (for 3 axes), 'bilinear', 'bicubic' (4) or
    'trilinear' (5). `align_corners`: whether the outermost elements stay where they are, else the
    outer edges do. `recompute_scale_factor`: whether sizes that were rounded down give the scale,
    else `scale_factor` itself does. Raises ValueError for what does not fit the mode.

    >>> ops.interpolate(Tensor([[[1.0, 2.0]]]), size=3, mode="linear").asnumpy()
    array([[[1. , 1.5, 2. ]]], dtype=float32)
    """
    if mode not in _MODES:
        raise ValueError(
            f"For 'interpolate', 'mode' must be one of {list(_MODES)}, but got {mode!r}."
        )
    taps, dims, has_corners = _MODES[mode]
    if input.ndim not in dims:
        raise ValueError(
            f"For 'interpolate', mode '{mode}' must have an input of {' or '.join(map(str, dims))} "
            f"dimensions, but got {input.ndim}."
        )
    if align_corners is not None and not has_corners:
        raise ValueError(
            f"For 'interpolate', 'align_corners' must be None in mode '{mode}', but got "
            f"{align_corners}."
        )
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "For 'interpolate', one of 'size' and 'scale_factor' must be given, but got "
            f"{size} and {scale_factor}."
        )
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


@composite(
    primitive="ResizeNearestNeighbor(size, align_corners=False, half_pixel_centers=False)"
    "(input_x: image)",
    function=(),
)
def resize_nearest(image, size, align_corners=False, half_pixel_centers=False):
    """`(N, C, H, W)` -> `(N, C, *size)`, each element that of its nearest neighbour.

    >>> ops.ResizeNearestNeighbor((2, 4))(Tensor([[[[1.0, 2.0]]]])).asnumpy()
    array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]], dtype=float32)
    """
    taps = "nearest-exact" if half_pixel_centers else "nearest"
    return interpolate_axes(image, size=tuple(size), taps=taps, align_corners=align_corners)


@composite(
    mint="nn.functional.upsample(input, size=None, scale_factor=None, mode='nearest', "
    "align_corners=None)",
)
def upsample(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None,
):  # fmt: skip
    """Another name of `interpolate`.

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
    """`(N, C, H, W)` -> `(N, C, *size)`, linear between neighbours along both axes.

    `align_corners`: the outermost elements stay. Else `half_pixel_centers`: the outer edges stay;
    neither: the first element does.

    >>> ops.ResizeBilinear((4, 4))(ops.ones((1, 1, 2, 2))).shape
    (1, 1, 4, 4)
    """
    taps = "linear" if align_corners or half_pixel_centers else "linear-from-edges"
    return interpolate_axes(image, size=tuple(size), taps=taps, align_corners=align_corners)


@op(
    bounds=lambda image, box_indices, **_: [Range(box_indices, image.shape[0], 0)],
    primitive="CropAndResize(method='bilinear', extrapolation_value=0.0)"
    "(x: image, boxes, box_indices, crop_size)",
)
def crop_and_resize(
    image: Array, boxes: Array, box_indices: Array, crop_size, method="bilinear",
    extrapolation_value=0.0,
):  # fmt: skip
    """Boxes cut out of images `(N, H, W, C)`, each resized: `(n, *crop_size, C)`.

    `boxes`: `(n, 4)`, rows (y1, x1, y2, x2) in which 0 and 1 are the outermost pixels;
    `box_indices`: `(n,)`, of which image. `method`: 'bilinear' or 'nearest'. What lies outside the
    image is `extrapolation_value`.

    >>> image, box = ops.ones((1, 4, 4, 3)), Tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> ops.crop_and_resize(image, box, Tensor([0]), (2, 2)).shape
    (1, 2, 2, 3)
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"'method' must be 'bilinear' or 'nearest', but got {method!r}")
    if image.ndim != 4 or boxes.shape != (*box_indices.shape, 4):
        raise ValueError(
            "'x' must have 4 dimensions, 'boxes' shape (n, 4) and 'box_indices' shape (n,)"
        )
    image = image.astype(jnp.promote_types(jnp.float32, image.dtype))
    ys, y_in = _box_places(boxes[:, 0], boxes[:, 2], image.shape[1], crop_size[0])
    xs, x_in = _box_places(boxes[:, 1], boxes[:, 3], image.shape[2], crop_size[1])
    of = box_indices[:, None, None]

    def at(y, x):
        return image[of, y.astype(int)[:, :, None], x.astype(int)[:, None, :]]

    if method == "nearest":
        out = at(jnp.floor(ys + 0.5), jnp.floor(xs + 0.5))
    else:
        top, left = jnp.floor(ys), jnp.floor(xs)
        bottom, right = jnp.ceil(ys), jnp.ceil(xs)
        down, along = (ys - top)[:, :, None, None], (xs - left)[:, None, :, None]
        upper = at(top, left) * (1 - along) + at(top, right) * along
        lower = at(bottom, left) * (1 - along) + at(bottom, right) * along
        out = upper * (1 - down) + lower * down
    inside = y_in[:, :, None, None] & x_in[:, None, :, None]
    return jnp.where(inside, out, extrapolation_value)


def _box_places(start, end, n_in, n_out):
    """Where each box's output elements lie on an axis of the image, and whether inside it."""
    start, end = start[:, None] * (n_in - 1), end[:, None] * (n_in - 1)
    part = jnp.linspace(0, 1, n_out) if n_out > 1 else jnp.full(1, 0.5)
    at = start + (end - start) * part.astype(start.dtype)
    return jnp.clip(at, 0, n_in - 1), (at >= 0) & (at <= n_in - 1)
