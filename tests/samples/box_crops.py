"""Rows for `sporax.ops.random.box_crops`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample

DRAWS = np.random.default_rng(2).random((20, 4)).astype(np.float32)
IMAGE, BOX = np.array([64, 48, 3], np.int32), np.array([[[0.3, 0.2, 0.8, 0.7]]], np.float32)


def crop(draws, image, boxes, least, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0)):
    height, width = image[:2]
    for ratio, area, down, across in draws:
        ratio = aspect_ratio_range[0] + ratio * np.ptp(aspect_ratio_range)
        pixels = (area_range[0] + area * np.ptp(area_range)) * height * width
        h, w = np.round(np.sqrt(pixels / ratio)), np.round(np.sqrt(pixels * ratio))
        share = h * w / height / width
        if not (0 < h <= height and 0 < w <= width and area_range[0] <= share <= area_range[1]):
            continue
        y, x = np.floor(down * (height - h + 1)), np.floor(across * (width - w + 1))
        for y1, x1, y2, x2 in boxes[0] * [height, width, height, width]:
            both = max(0, min(y2, y + h) - max(y1, y)) * max(0, min(x2, x + w) - max(x1, x))
            if both >= least[0] * (y2 - y1) * (x2 - x1):
                box = [y / height, x / width, (y + h) / height, (x + w) / width]
                return np.array([y, x, 0]), np.array([h, w, -1]), np.reshape(box, (1, 1, 4))
    return np.zeros(3), np.array([height, width, -1]), np.array([[[0.0, 0, 1, 1]]])


SAMPLES = [
    Sample("first_fitting_crop", [DRAWS, IMAGE, BOX, np.array([least], np.float32)], crop, attrs)
    for least, attrs in (
        (0.5, {}), (0.9, {"area_range": (0.3, 0.6)}), (1.0, {"area_range": (0.01, 0.02)}),
    )
]  # fmt: skip

SAMPLE = ops.SampleDistortedBoundingBoxV2
REFUSALS = [
    Refusal("crop-none", lambda: SAMPLE()(Tensor(IMAGE), ops.zeros((1, 0, 4)), Tensor([0.5])),
            ValueError, ("'SampleDistortedBoundingBoxV2'", "'bounding_boxes'")),
    Refusal("crop-area", lambda: SAMPLE(area_range=(0.5, 0.1))(
        Tensor(IMAGE), Tensor(BOX), Tensor([0.5])), ValueError, ("'area_range'", "rising")),
]  # fmt: skip
