"""Non-maximum suppression: boxes selected by score, with limited overlap."""

import jax.numpy as jnp
from jax import lax

from sporax._src.core.tensor import Tensor
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.operand_checks import require_shapes


@op(function=(), differentiable=False)
def suppressed(
    overlaps: Array, scores: Array, overlap_threshold: Array, score_threshold: Array, is_open=False
) -> Arrays:
    """Return indices `(n,)` by descending score, and a mask of those selected: above
    `score_threshold`, with an overlap of at most (`is_open`: less than) `overlap_threshold` with
    each one selected before. `overlaps[i, j]`: of box i and the earlier j."""
    require_shapes(
        scores=(scores, "n"), overlaps=(overlaps, "n n"),
        overlap_threshold=(overlap_threshold, ""), score_threshold=(score_threshold, ""),
    )  # fmt: skip
    count = scores.shape[0]
    order = jnp.argsort(-scores, stable=True)
    near = overlaps >= overlap_threshold if is_open else overlaps > overlap_threshold
    near = near[order][:, order]
    ranks = jnp.arange(count)

    def without(i, chosen):
        return chosen & ~(chosen[i] & near[:, i] & (ranks > i))

    chosen = lax.fori_loop(0, count, without, scores[order] > score_threshold)
    return order.astype(jnp.int32), chosen


@op(function=(), differentiable=False)
def overlaps_of_corners(boxes: Array):
    """Intersection over union of pairs of boxes `(n, 4)`, rows of two opposite corners: `(n,
    n)`."""
    require_shapes(boxes=(boxes, "n 4"))
    corners = boxes.reshape(-1, 2, 2)
    low, high = corners.min(1), corners.max(1)
    sides = jnp.minimum(high[:, None], high) - jnp.maximum(low[:, None], low)
    shared = jnp.maximum(sides, 0).prod(-1)
    areas = (high - low).prod(-1)
    together = areas[:, None] + areas - shared
    return jnp.where(shared > 0, shared / jnp.where(shared > 0, together, 1), 0)


def _number(x):
    return x if isinstance(x, Tensor) else Tensor(float(x))


def _chosen(overlaps, scores, most, overlap_threshold, score_threshold, is_open=False):
    """Return the first `most` selected indices."""
    thresholds = _number(overlap_threshold), _number(score_threshold)
    order, chosen = suppressed(overlaps, scores, *thresholds, is_open)
    return order.masked_select(chosen)[: max(int(most), 0)]


@composite(
    primitive="NonMaxSuppressionV3()(boxes, scores, max_output_size, iou_threshold, "
    "score_threshold)",
    function=(),
)
def non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold):
    """Return the indices (Int32) of at most `max_output_size` boxes `(n, 4)`, two opposite corners
    each, by descending score: above `score_threshold`, with an IoU of at most `iou_threshold` with
    each earlier one.

    The shape depends on the values, so this call runs the pending operations.

    >>> boxes = Tensor([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 1.9], [3.0, 3.0, 4.0, 4.0]])
    >>> ops.NonMaxSuppressionV3()(boxes, Tensor([0.5, 0.9, 0.7]), 3, 0.5, 0.0).asnumpy()
    array([1, 2], dtype=int32)
    """
    overlaps = overlaps_of_corners(boxes)
    return _chosen(overlaps, scores, max_output_size, iou_threshold, score_threshold)


@composite(
    primitive="NonMaxSuppressionWithOverlaps()(overlaps, scores, max_output_size, "
    "overlap_threshold, score_threshold)",
    function=(),
)
def non_max_suppression_with_overlaps(
    overlaps, scores, max_output_size, overlap_threshold, score_threshold
):
    """As `NonMaxSuppressionV3`, with the overlaps as a matrix `(n, n)`; each selected box overlaps
    less than `overlap_threshold` with each earlier one.

    >>> overlaps = Tensor([[1.0, 0.8], [0.8, 1.0]])
    >>> ops.NonMaxSuppressionWithOverlaps()(overlaps, Tensor([0.5, 0.9]), 2, 0.5, 0.0).asnumpy()
    array([1], dtype=int32)
    """
    return _chosen(overlaps, scores, max_output_size, overlap_threshold, score_threshold, True)
