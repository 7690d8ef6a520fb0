"""Bounding boxes: rows (x1, y1, x2, y2) in pixels, both ends inclusive."""

import math

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, Arrays, op
from sporax.ops.operand_checks import require_shapes

_CLIP = 0.016
_OVERLAP, _END_MODE = kinds.one_of("iou", "iof"), kinds.one_of(0, 1)


def _check_boxes(name, boxes, columns=4):
    require_shapes(**{name: (boxes, f"n {columns}")})


def _four(name, numbers):
    numbers = (numbers,) * 4 if isinstance(numbers, (int, float)) else numbers
    fits = isinstance(numbers, (tuple, list)) and len(numbers) == 4
    require(fits, "four-numbers", argument=name, got=numbers)
    return jnp.asarray(numbers, jnp.float32)


def _middles_and_sizes(boxes):
    starts, ends = boxes[:, :2], boxes[:, 2:]
    return (starts + ends) * 0.5, ends - starts + 1


def _overlaps(boxes, others, extra):
    """Return (intersection areas `(n, m)`, areas of `boxes` `(n, 1)`, of `others` `(m,)`)."""
    starts = jnp.maximum(boxes[:, None, :2], others[:, :2])
    ends = jnp.minimum(boxes[:, None, 2:], others[:, 2:])
    shared = jnp.maximum(ends - starts + extra, 0).prod(-1)
    areas = [(b[:, 2:] - b[:, :2] + extra).prod(-1) for b in (boxes, others)]
    return shared, areas[0][:, None], areas[1]


@op(primitive="IOU(mode='iou')(anchor_boxes, gt_boxes)")
def iou(anchor_boxes: Array, gt_boxes: Array, mode="iou"):
    """Intersection over union of pairs of boxes: `(n, 4)`, `(m, 4)` -> `(m, n)`.

    `mode` 'iof': intersection over the area of the box of `gt_boxes`.

    >>> boxes = Tensor([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 3.0, 1.0]])
    >>> ops.iou(boxes, boxes).asnumpy()
    array([[1. , 0.5],
           [0.5, 1. ]], dtype=float32)
    """
    _OVERLAP(None, mode=mode)
    _check_boxes("anchor_boxes", anchor_boxes)
    _check_boxes("gt_boxes", gt_boxes)
    shared, areas, of_anchors = _overlaps(gt_boxes, anchor_boxes, 1)
    return shared / (areas if mode == "iof" else areas + of_anchors - shared)


@op(
    primitive="BoundingBoxEncode(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))"
    "(anchor_box, groundtruth_box)"
)
def bounding_box_encode(
    anchor_box: Array, groundtruth_box: Array, means=(0.0,) * 4, stds=(1.0,) * 4
):
    """Encode each box relative to its anchor: shifts of the centre over the anchor's sizes, and
    logarithms of the size ratios; minus `means`, over `stds`: `(n, 4)`.

    >>> box = Tensor([[0.0, 0.0, 1.0, 1.0]])
    >>> ops.bounding_box_encode(box, box).asnumpy()
    array([[0., 0., 0., 0.]], dtype=float32)
    """
    _check_boxes("anchor_box", anchor_box)
    _check_boxes("groundtruth_box", groundtruth_box)
    middle, size = _middles_and_sizes(anchor_box)
    wanted, wanted_size = _middles_and_sizes(groundtruth_box)
    deltas = jnp.concatenate([(wanted - middle) / size, jnp.log(wanted_size / size)], 1)
    result = (deltas - _four("means", means)) / _four("stds", stds)
    return result.astype(anchor_box.dtype)


@op(
    primitive="BoundingBoxDecode(max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), "
    "wh_ratio_clip=0.016)(anchor_box, deltas)"
)
def bounding_box_decode(
    anchor_box: Array, deltas: Array, max_shape, means=(0.0,) * 4, stds=(1.0,) * 4,
    wh_ratio_clip=_CLIP,
):  # fmt: skip
    r"""Decode `deltas` relative to the anchors to boxes, clipped to an image of `max_shape` (H, W).

    The inverse of `bounding_box_encode`; sizes change by a factor of at most 1 / `wh_ratio_clip`.

    >>> box = Tensor([[1.0, 1.0, 2.0, 2.0]])
    >>> ops.bounding_box_decode(box, ops.zeros((1, 4)), (8, 8)).asnumpy()
    array([[1., 1., 2., 2.]], dtype=float32)
    """
    _check_boxes("anchor_box", anchor_box)
    _check_boxes("deltas", deltas)
    require(len(max_shape) == 2, "height-width", max_shape=max_shape)
    deltas = deltas * _four("stds", stds) + _four("means", means)
    middle, size = _middles_and_sizes(anchor_box)
    most = abs(math.log(wh_ratio_clip))
    middle = middle + size * deltas[:, :2]
    half = size * jnp.exp(jnp.clip(deltas[:, 2:], -most, most)) * 0.5
    last = jnp.asarray([max_shape[1] - 1, max_shape[0] - 1], anchor_box.dtype)
    ends = [jnp.clip(end, 0, last) for end in (middle - half + 0.5, middle + half - 0.5)]
    return jnp.concatenate(ends, 1).astype(anchor_box.dtype)


@op(primitive="CheckValid()(bboxes, img_metas)", differentiable=False)
def check_valid(bboxes: Array, img_metas: Array):
    """Return True for boxes inside an image; `img_metas`: (height, width, factor for both).

    >>> ops.check_valid(Tensor([[0.0, 0.0, 3.0, 3.0]]), Tensor([4.0, 2.0, 1.0])).asnumpy()
    array([False])
    """
    _check_boxes("bboxes", bboxes)
    require_shapes(img_metas=(img_metas, "3"))
    last = img_metas[1::-1] * img_metas[2] - 1
    return (bboxes[:, :2] >= 0).all(1) & (bboxes[:, 2:] <= last).all(1)


@op(primitive="NMSWithMask(iou_threshold=0.5)(bboxes)", function=(), differentiable=False)
def nms_with_mask(bboxes: Array, iou_threshold=0.5) -> Arrays:
    """Non-maximum suppression of `(n, 5)`, rows (x1, y1, x2, y2, score): rows by descending score,
    their indices in this order, and a mask of those kept: IoU of at most `iou_threshold` with each
    box kept before.

    >>> boxes = Tensor([[0.0, 0.0, 2.0, 2.0, 0.9], [0.0, 0.0, 2.0, 2.0, 0.8]])
    >>> _, order, kept = ops.NMSWithMask(0.5)(boxes)
    >>> order.asnumpy(), kept.asnumpy()
    (array([0, 1], dtype=int32), array([ True, False]))
    """
    _check_boxes("bboxes", bboxes, 5)
    ranked = bboxes[jnp.argsort(-bboxes[:, 4], stable=True)]
    shared, areas, others = _overlaps(ranked[:, :4], ranked[:, :4], 0)
    together = areas + others - shared
    near = (shared > iou_threshold * together) & (shared > 0)
    indices = jnp.arange(len(ranked))

    def without(i, kept):
        return kept & ~(kept[i] & near[i] & (indices > i))

    kept = lax.fori_loop(0, len(ranked), without, jnp.ones(len(ranked), bool))
    return ranked, indices.astype(jnp.int32), kept


def _best_of_class(boxes, scores, most, iou_threshold, score_threshold):
    """Return a mask of the kept boxes (y1, x1, y2, x2) of one class, at most `most`, best first."""
    corners = jnp.concatenate(
        [jnp.minimum(boxes[:, :2], boxes[:, 2:]), jnp.maximum(boxes[:, :2], boxes[:, 2:])], 1
    )
    shared, areas, others = _overlaps(corners, corners, 0)
    together = areas + others - shared
    near = (shared > iou_threshold * together) & (areas > 0) & (others > 0)
    order = jnp.argsort(-scores, stable=True)

    def visit(i, kept):
        box = order[i]
        fits = (scores[box] > score_threshold) & ~(near[box] & kept).any() & (kept.sum() < most)
        return kept.at[box].set(fits)

    return lax.fori_loop(0, len(scores), visit, jnp.zeros(len(scores), bool))


@op(
    function=(), name="CombinedNonMaxSuppression", differentiable=False,
    primitive="CombinedNonMaxSuppression(pad_per_class=False, clip_boxes=True)(boxes, scores, "
    "max_output_size_per_class, max_total_size, iou_threshold, score_threshold)",
)  # fmt: skip
def combined_non_max_suppression(
    boxes: Array, scores: Array, max_output_size_per_class, max_total_size, iou_threshold: Array,
    score_threshold: Array, pad_per_class=False, clip_boxes=True,
) -> Arrays:  # fmt: skip
    """Non-maximum suppression per class: the best boxes of all classes by descending score, boxes
    `(N, k, 4)`, scores and classes `(N, k)`, all Float32, and their count for each example, `(N,)`
    Int32; unused entries are 0.

    `boxes` `(N, n, q, 4)`, rows (y1, x1, y2, x2), q is 1 or C; `scores` `(N, n, C)`. A box is kept
    for a class if its score exceeds `score_threshold` and its IoU with each better kept box is at
    most `iou_threshold`; at most `max_output_size_per_class` are. k is `max_total_size`, with
    `pad_per_class` at most `max_output_size_per_class * C`. `clip_boxes`: clip to [0, 1].

    >>> boxes, scores = Tensor([[[[0.0, 0.0, 1.0, 1.0]]]]), Tensor([[[0.9]]])
    >>> limits = Tensor(2, ms.int32), Tensor(1, ms.int32), Tensor(0.5), Tensor(0.1)
    >>> ops.CombinedNonMaxSuppression()(boxes, scores, *limits)[1].asnumpy()
    array([[0.9]], dtype=float32)
    """
    require_shapes(boxes=(boxes, "N n 1 4 | N n C 4"), scores=(scores, "N n C"))
    count, classes = scores.shape[1:]
    for name, value in (("max_output_size_per_class", max_output_size_per_class),
                        ("max_total_size", max_total_size)):  # fmt: skip
        fits = isinstance(value, int) and value >= 0
        require(fits, "int-at-least", argument=name, n=0, got=value)
    size = max_total_size
    if pad_per_class:
        size = min(size, max_output_size_per_class * classes)

    def example(boxes, scores):
        each = jnp.broadcast_to(boxes, (count, classes, 4)).swapaxes(0, 1)
        kept = jax.vmap(_best_of_class, (0, 1, None, None, None))(
            each, scores, max_output_size_per_class, iou_threshold, score_threshold
        )
        flat = jnp.where(kept, scores.T, -jnp.inf).reshape(-1)
        order = jnp.argsort(-flat, stable=True)[:size]
        order = jnp.pad(order, (0, size - len(order)))
        is_valid = jnp.arange(size) < jnp.minimum(kept.sum(), size)
        best = each.reshape(-1, 4)[order]
        best = jnp.clip(best, 0, 1) if clip_boxes else best
        numbers = jnp.where(is_valid, flat[order], 0), jnp.where(is_valid, order // count, 0)
        return jnp.where(is_valid[:, None], best, 0), *numbers, is_valid.sum()

    selected, best, labels, total = jax.vmap(example)(boxes, scores)
    kind = boxes.dtype
    return selected, best.astype(kind), labels.astype(kind), total.astype(jnp.int32)


def _bilinear(plane, y, x):
    """Interpolate `plane` (C, H, W) at points (...): (C, ...); 0 beyond one pixel outside it."""
    height, width = plane.shape[1:]
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = jnp.clip(y, 0, height - 1), jnp.clip(x, 0, width - 1)
    top, left = (jnp.floor(lax.stop_gradient(a)).astype(int) for a in (y, x))
    total = 0
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            seen = plane[:, jnp.minimum(row, height - 1), jnp.minimum(column, width - 1)]
            total = total + seen * (down * across)
    return jnp.where(inside, total, 0)


@op(
    primitive="ROIAlign(pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1)"
    "(features, rois)",
    function=(),
)
def roi_align(
    features: Array, rois: Array, pooled_height, pooled_width, spatial_scale, sample_num=2,
    roi_end_mode=1,
):  # fmt: skip
    """Pool regions `(n, 5)` (image, x1, y1, x2, y2) of `(N, C, H, W)` to `(n, C, rows, columns)`:
    means over `sample_num` by `sample_num` points in each bin of a region. 0 or less: about one
    point per pixel.

    >>> regions = Tensor([[0.0, 0.0, 0.0, 2.0, 2.0]])
    >>> ops.ROIAlign(1, 1, 1.0, 2)(ops.ones((1, 1, 4, 4)), regions).asnumpy()
    array([[[[1.]]]], dtype=float32)
    """
    require_shapes(features=(features, "N C H W"), rois=(rois, "n 5"))
    _END_MODE(None, roi_end_mode=roi_end_mode)
    counts, planes = (pooled_height, pooled_width), features.shape[2:]
    # bins have at most this many points inside the image: adjacent ones are at least a pixel apart
    most = [sample_num if sample_num > 0 else n + 2 for n in planes]

    def one(roi):
        starts = roi[2:0:-1] * spatial_scale
        ends = (roi[4:2:-1] + roi_end_mode) * spatial_scale
        sizes = ends - starts
        sizes = sizes if roi_end_mode else jnp.maximum(sizes, 1)
        coordinates, total = [], 1
        for start, size, count, points in zip(starts, sizes, counts, most, strict=True):
            number, length, first = sample_num, size / count, 0
            lower = start + length * jnp.arange(count)[:, None]
            if sample_num <= 0:
                number = jnp.maximum(jnp.floor(lax.stop_gradient(length)), 1)
                outside = lax.stop_gradient((-1 - lower) / length) * number  # steps before it
                first = jnp.where(number > 1, jnp.maximum(jnp.ceil(outside - 0.5), 0), 0)
            step, index = length / number, jnp.arange(points) + first
            # beyond the bin: a point outside the image, where the value is 0
            coordinates.append(jnp.where(index < number, lower + (index + 0.5) * step, -2).ravel())
            total = total * number
        y, x = jnp.meshgrid(*coordinates, indexing="ij")
        seen = _bilinear(features[roi[0].astype(int)], y, x)
        split = seen.reshape(-1, counts[0], most[0], counts[1], most[1])
        return (split.sum((2, 4)) / total).astype(features.dtype)

    return jax.vmap(one)(rois)
