"""Intersection over union of rotated rectangles."""

import jax.numpy as jnp

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import require_shapes


def _corners(boxes, by_corners):
    """`(..., 5)` -> `(..., 4, 2)`, counter-clockwise."""
    first, second = boxes[..., :2], boxes[..., 2:4]
    middle = (first + second) / 2 if by_corners else first
    half = (second - first if by_corners else second) / 2
    angle = jnp.deg2rad(boxes[..., 4])[..., None]
    signs = jnp.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], boxes.dtype)
    x, y = (half[..., None, i] * signs[:, i] for i in (0, 1))
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    turned = jnp.stack([x * cos - y * sin, x * sin + y * cos], -1)
    return middle[..., None, :] + turned


def _cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _inside(points, box, tolerance):
    """Return True for `points` `(..., n, 2)` in the rectangle of corners `box` `(..., 4, 2)`."""
    edges = jnp.roll(box, -1, -2) - box
    apart = points[..., :, None, :] - box[..., None, :, :]
    lengths = jnp.sqrt((edges * edges).sum(-1))[..., None, :]
    return (_cross(edges[..., None, :, :], apart) >= -tolerance * lengths).all(-1)


def _crossings(a, b, tolerance):
    """Return the crossings of two rectangles' edges, `(..., 16, 2)`, and True if they exist."""
    start, step = a[..., :, None, :], (jnp.roll(a, -1, -2) - a)[..., :, None, :]
    other, along = b[..., None, :, :], (jnp.roll(b, -1, -2) - b)[..., None, :, :]
    slope = _cross(step, along)
    is_parallel = jnp.abs(slope) < 1e-12
    safe = jnp.where(is_parallel, 1, slope)
    t, u = (_cross(other - start, v) / safe for v in (along, step))
    low, high = -tolerance, 1 + tolerance
    meets = ~is_parallel & (t >= low) & (t <= high) & (u >= low) & (u <= high)
    points = start + jnp.where(meets, t, 0)[..., None] * step
    shape = (*meets.shape[:-2], 16)
    return points.reshape(*shape, 2), meets.reshape(shape)


def _shared(a, b, v_threshold, e_threshold):
    """Return the area of the intersection of two rectangles."""
    size = jnp.maximum(jnp.abs(a - a[..., :1, :]).max((-1, -2)), 1e-6)[..., None, None]
    slack = v_threshold + 1e-6 * size
    crossings, meets = _crossings(a, b, e_threshold)
    points = jnp.concatenate([a, b, crossings], -2)
    within = [_inside(a, b, slack), _inside(b, a, slack), meets]
    kept = jnp.concatenate(within, -1)
    count = jnp.maximum(kept.sum(-1), 1)[..., None, None]
    middle = jnp.where(kept[..., None], points, 0).sum(-2, keepdims=True) / count
    apart = points - middle
    safe = jnp.where(kept[..., None], apart, 1)
    angles = jnp.arctan2(safe[..., 1], safe[..., 0])
    order = jnp.argsort(jnp.where(kept, angles, jnp.inf), -1)
    ring = jnp.take_along_axis(jnp.where(kept[..., None], apart, 0), order[..., None], -2)
    is_last = jnp.arange(24) == kept.sum(-1)[..., None] - 1
    following = jnp.where(is_last[..., None], ring[..., :1, :], jnp.roll(ring, -1, -2))
    return jnp.abs(_cross(ring, following).sum(-1)) / 2


@op()
def rotated_iou(
    boxes: Array, query_boxes: Array, trans=False, mode=0, is_cross=True, v_threshold=0.0,
    e_threshold=0.0,
):  # fmt: skip
    """Intersection of rotated rectangles over their union (`mode` 0) or over the area of the one in
    `boxes` (1): `(B, N, 5)`, `(B, K, 5)` -> `(B, N, K)`.

    Rows are (x, y, width, height, angle) with the centre, or, with `trans`, (x1, y1, x2, y2, angle)
    with the corners before rotation; angles are in degrees. `is_cross` False: N is K, and the
    result is `(B, N)`, of pairs. `v_threshold`, `e_threshold`: the distance outside at which a
    corner, and a crossing beyond an edge's end relative to its length, still count as inside.

    >>> box = Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]])
    >>> ops.rotated_iou(box, Tensor([[[1.0, 0.0, 2.0, 2.0, 90.0]]])).asnumpy().round(4)
    array([[[0.3333]]], dtype=float32)
    """
    require_shapes(boxes=(boxes, "B N 5"), query_boxes=(query_boxes, "B K 5"))
    fits = is_cross or boxes.shape == query_boxes.shape
    require(fits, "query-boxes-one-shape-is-cross", argument="boxes")
    dtype = boxes.dtype
    a, b = (x.astype(jnp.promote_types(x.dtype, jnp.float32)) for x in (boxes, query_boxes))
    a, b = (a[:, :, None], b[:, None]) if is_cross else (a, b)
    corners = [_corners(x, trans) for x in (a, b)]
    a, b = jnp.broadcast_arrays(*corners)
    areas = [jnp.abs(_cross(*(c[..., i, :] - c[..., 0, :] for i in (1, 3)))) for c in corners]
    shared = _shared(a, b, v_threshold, e_threshold)
    whole = areas[0] if mode == 1 else areas[0] + areas[1] - shared
    return jnp.where(whole > 0, shared / jnp.where(whole > 0, whole, 1), 0).astype(dtype)
