"""Rows for `sporax.ops.image.boxes`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample

ANCHORS = np.array([[0.0, 0, 10, 10], [5.5, 5, 9, 8]])
TRUTH = np.array([[1.0, 1, 4, 9], [6, 6, 20, 20], [30, 30, 31, 31]])
DELTAS = np.array([[0.1, -0.3, 0.2, 9.0], [0.3, 0.1, -0.4, 0.1]])
_RNG = np.random.default_rng(1)
CORNERS = _RNG.uniform(-0.2, 0.7, (2, 6, 2, 2))
BOXES = np.concatenate([CORNERS, CORNERS + _RNG.uniform(0.2, 0.7, CORNERS.shape)], -1)
LIMITS = [np.array(0.3, np.float32), np.array(0.2, np.float32)]
LIMIT_NAMES = ["boxes", "scores", "iou_threshold", "score_threshold"]
SCORED = np.array(
    [[0, 0, 10, 10, 0.5], [1, 1, 11, 11, 0.9], [20, 20, 30, 30, 0.1], [1, 2, 11, 12, 0.6],
     [20, 21, 30, 31, 0.3]]
)  # fmt: skip


def area(box, extra):
    return max(0, box[2] - box[0] + extra) * max(0, box[3] - box[1] + extra)


def shared(a, b, extra):
    return area([*np.maximum(a[:2], b[:2]), *np.minimum(a[2:4], b[2:4])], extra)


def iou(anchors, truth, mode="iou", extra=1):
    out = np.zeros((len(truth), len(anchors)))
    for i, j in np.ndindex(*out.shape):
        both = shared(truth[i], anchors[j], extra)
        whole = area(truth[i], extra) + area(anchors[j], extra) - both
        out[i, j] = both / (whole if mode == "iou" else area(truth[i], extra))
    return out


def best_boxes(
    boxes, scores, iou_threshold, score_threshold, max_output_size_per_class, max_total_size,
    pad_per_class=False, clip_boxes=True,
):  # fmt: skip
    size = max_total_size
    if pad_per_class:
        size = min(size, max_output_size_per_class * scores.shape[2])
    outs = [np.zeros((len(boxes), size, 4)), *(np.zeros((len(boxes), size)) for _ in "ab"), []]
    for n, of_example in enumerate(scores):
        rows = []
        for c in range(scores.shape[2]):
            kept = []
            for i in np.argsort(-of_example[:, c], kind="stable"):
                box = boxes[n, i, min(c, boxes.shape[2] - 1)]
                near = [iou(box[None], k[None], extra=0)[0, 0] > iou_threshold for k in kept]
                room = len(kept) < max_output_size_per_class
                if of_example[i, c] > score_threshold and room and not any(near):
                    kept.append(box)
                    rows.append((of_example[i, c], c, box))
        rows = sorted(rows, key=lambda row: -row[0])[:size]
        for k, (score, c, box) in enumerate(rows):
            outs[0][n, k] = np.clip(box, 0, 1) if clip_boxes else box
            outs[1][n, k], outs[2][n, k] = score, c
        outs[3].append(len(rows))
    return *outs[:3], np.array(outs[3])


def encode(anchors, truth, means=(0.0,) * 4, stds=(1.0,) * 4):
    rows = []
    for a, t in zip(anchors, truth, strict=True):
        row = [(t[k] + t[k + 2] - a[k] - a[k + 2]) / 2 / (a[k + 2] - a[k] + 1) for k in (0, 1)]
        row += [np.log((t[k + 2] - t[k] + 1) / (a[k + 2] - a[k] + 1)) for k in (0, 1)]
        rows.append((np.array(row) - means) / stds)
    return np.array(rows)


def decode(anchors, deltas, max_shape, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016):
    rows = []
    for a, d in zip(anchors, deltas * stds + means, strict=True):
        ends = {}
        for k in (0, 1):
            size, most = a[k + 2] - a[k] + 1, -np.log(wh_ratio_clip)
            middle, half = (a[k] + a[k + 2]) / 2 + size * d[k], size / 2
            half *= np.exp(min(max(d[k + 2], -most), most))
            ends[k] = [np.clip(e, 0, max_shape[1 - k] - 1)
                       for e in (middle - half + 0.5, middle + half - 0.5)]  # fmt: skip
        rows.append([ends[0][0], ends[1][0], ends[0][1], ends[1][1]])
    return np.array(rows)


def suppressed(boxes, iou_threshold=0.5):
    ranked = boxes[np.argsort(-boxes[:, 4], kind="stable")]
    kept = []
    for i, box in enumerate(ranked):
        near = [iou([box], [ranked[j]], extra=0)[0, 0] > iou_threshold for j in kept]
        kept += [] if any(near) else [i]
    return ranked, np.arange(len(ranked)), np.isin(np.arange(len(ranked)), kept)


def at(plane, y, x):
    height, width = plane.shape
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    down, across = y - int(y), x - int(x)
    low, right = min(int(y) + 1, height - 1), min(int(x) + 1, width - 1)
    top = plane[int(y), int(x)] * (1 - across) + plane[int(y), right] * across
    bottom = plane[low, int(x)] * (1 - across) + plane[low, right] * across
    return top * (1 - down) + bottom * down


def align(features, rois, pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
    out = np.zeros((len(rois), features.shape[1], pooled_height, pooled_width))
    for n, c, i, j in np.ndindex(*out.shape):
        image, x1, y1, x2, y2 = rois[n]
        start = np.array([y1, x1]) * spatial_scale
        size = (np.array([y2, x2]) + roi_end_mode) * spatial_scale - start
        size = size if roi_end_mode else np.maximum(size, 1)
        part = size / [pooled_height, pooled_width]
        for k, m in np.ndindex(sample_num, sample_num):
            place = start + part * ([i, j] + (np.array([k, m]) + 0.5) / sample_num)
            out[n, c, i, j] += at(features[int(image), c], *place) / sample_num**2
    return out


ROIS = np.array([[0, 0.2, 0.3, 4.1, 5.0], [1, 1.0, -3.0, 2.0, 3.0]])

SAMPLES = [
    *[Sample("combined_non_max_suppression", [BOXES[:, :, :q].astype("f4"), (2, 6, 2), *LIMITS],
             best_boxes, {"max_output_size_per_class": 3, "max_total_size": 7,
                          "pad_per_class": q == 1, "clip_boxes": q == 2}, names=LIMIT_NAMES)
      for q in (1, 2)],
    Sample("iou", [ANCHORS, TRUTH], iou),
    Sample("iou", [ANCHORS, TRUTH], iou, {"mode": "iof"}),
    Sample("bounding_box_encode", [ANCHORS, TRUTH[:2]], encode),
    Sample(
        "bounding_box_encode", [ANCHORS, TRUTH[:2]], encode,
        {"means": (0.1, 0.2, 0.3, 0.4), "stds": (0.1, 0.1, 0.2, 0.2)},
    ),
    Sample("bounding_box_decode", [ANCHORS, DELTAS], decode, {"max_shape": (9, 40)}),
    Sample(
        "bounding_box_decode", [ANCHORS, DELTAS], decode,
        {"max_shape": (90, 40), "stds": (0.1, 0.1, 0.2, 0.2), "wh_ratio_clip": 0.5},
    ),
    Sample(
        "check_valid", [TRUTH - 1.5, np.array([12.0, 10.0, 2.0])],
        lambda boxes, meta: np.array(
            [min(b) >= 0 and b[2] < meta[1] * meta[2] and b[3] < meta[0] * meta[2] for b in boxes]
        ),
    ),
    Sample("nms_with_mask", [SCORED], suppressed, {"iou_threshold": 0.5}),
    Sample("nms_with_mask", [SCORED], suppressed, {"iou_threshold": 0.75}),
    Sample(
        "roi_align", [(2, 2, 4, 4), ROIS], align,
        {"pooled_height": 2, "pooled_width": 1, "spatial_scale": 0.5},
        sharp="interpolation has a corner at each pixel",
    ),
    Sample(
        "roi_align", [(2, 1, 3, 4), np.array([[0, 1, 0, 4, 3], [1, 0, 1, 2, 3]])], align,
        {"pooled_height": 1, "pooled_width": 2, "spatial_scale": 0.9, "sample_num": 1,
         "roi_end_mode": 0},
    ),
]  # fmt: skip

X, R = ops.ones((1, 1, 4, 4)), ops.ones((1, 5))
REFUSALS = [
    Refusal(f"boxes-{name}", call, ValueError, says)
    for name, call, says in [
        ("iou", lambda: ops.iou(ops.ones((2, 5)), ops.ones((2, 4))), ("'IOU'", "(n, 4)", "(2, 5)")),
        ("iou-mode", lambda: ops.IOU("x")(ops.ones((2, 4)), ops.ones((2, 4))), ("'iof'", "'x'")),
        ("encode", lambda: ops.BoundingBoxEncode(1, (1, 2))(R[:, :4], R[:, :4]), ("'stds'",)),
        ("decode", lambda: ops.BoundingBoxDecode((1,))(R[:, :4], R[:, :4]), ("'max_shape'",)),
        ("valid", lambda: ops.check_valid(R[:, :4], R[0]), ("'img_metas'", "(3,)")),
        (
            "combined-boxes",
            lambda: ops.CombinedNonMaxSuppression()(X, X[0], *[1] * 4),
            ("'CombinedNonMaxSuppression'", "(N, n, C, 4)"),
        ),
        ("nms", lambda: ops.NMSWithMask()(R[:, :4]), ("'NMSWithMask'", "(n, 5)")),
        ("roi", lambda: ops.ROIAlign(2, 2, 1.0)(X[0], R), ("'features'", "(N, C, H, W)")),
        ("roi-mode", lambda: ops.ROIAlign(2, 2, 1.0, 2, 3)(X, R), ("'roi_end_mode'", "3")),
    ]
]
