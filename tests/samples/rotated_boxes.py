"""Rows for `sporax.ops.image.rotated_boxes`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def corners(box, trans):
    x, y, w, h, angle = box
    if trans:
        x, y, w, h = (x + w) / 2, (y + h) / 2, w - x, h - y
    cos, sin = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    ends = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (w / 2, h / 2)
    return ends @ np.array([[cos, sin], [-sin, cos]]) + (x, y)


def area(polygon):
    x, y = np.reshape(polygon, (-1, 2)).T
    return abs((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) / 2


def clipped(polygon, start, end):
    """The part of a polygon to the left of a line (Sutherland and Hodgman, 1974)."""
    out, step = [], end - start

    def side(p):
        return step[0] * (p - start)[1] - step[1] * (p - start)[0]

    for a, b in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        if side(a) >= 0:
            out.append(a)
        if side(a) * side(b) < 0:
            out.append(a + (b - a) * side(a) / (side(a) - side(b)))
    return out


def shared(a, b):
    polygon = list(a)
    for start, end in zip(b, np.roll(b, -1, 0), strict=True):
        polygon = clipped(polygon, start, end)
    return area(polygon) if polygon else 0.0


def pair(a, b, trans, mode):
    a, b = corners(a, trans), corners(b, trans)
    both = shared(a, b)
    return both / (area(a) if mode == 1 else area(a) + area(b) - both)


def iou(boxes, others, trans=False, mode=0, is_cross=True):
    if not is_cross:
        return np.array([[pair(a, b, trans, mode) for a, b in zip(x, y, strict=True)]
                         for x, y in zip(boxes, others, strict=True)])  # fmt: skip
    return np.array([[[pair(a, b, trans, mode) for b in y] for a in x]
                     for x, y in zip(boxes, others, strict=True)])  # fmt: skip


A = np.array([[[0.0, 0, 4, 2, 0], [1, 1, 3, 3, 30]], [[0, 0, 2, 2, 45], [5, 5, 1, 1, 10]]])
B = np.array([[[0.5, 0.2, 3, 2, 20], [9, 9, 1, 1, 0], [0.3, 0.1, 1, 0.5, 80]],
              [[0.1, 0, 2.5, 1.5, 10], [5.1, 5, 3, 3, 70], [0, 1, 2, 2, 0]]])  # fmt: skip
ENDS = np.concatenate([A[..., :2] - 1, A[..., :2] + A[..., 2:4], A[..., 4:]], -1)
SAMPLES = [
    Sample("rotated_iou", [A[:1, 1:], B[:1, ::2]], iou, rtol=1e-4),
    Sample("rotated_iou", [A, B], iou, rtol=1e-4, sharp="as the first row"),
    Sample(
        "rotated_iou",
        [A, B[:, :2]],
        iou,
        {"mode": 1, "is_cross": False},
        rtol=1e-4,
        sharp="as the first row",
    ),
    Sample(
        "rotated_iou",
        [ENDS, ENDS[:, ::-1] + 0.25],
        iou,
        {"trans": True},
        rtol=1e-4,
        sharp="as the first row",
    ),
    Sample("rotated_iou", [A, A.copy()], iou, rtol=1e-4, sharp="an overlap is largest, not smooth"),
]

REFUSALS = [
    Refusal("rotated-pairs", lambda: ops.rotated_iou(ops.ones((1, 2, 5)), ops.ones((1, 3, 5)),
                                                     is_cross=False),
            ValueError, ("'rotated_iou'", "'is_cross'")),
]  # fmt: skip
