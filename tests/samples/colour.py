"""Rows for `sporax.ops.image.colour`, against Python's `colorsys`."""

import colorsys

import numpy as np

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

PIXELS = np.array([[[0.1, 0.2, 0.35], [0.9, 0.5, 0.2]], [[0.3, 0.7, 0.45], [0.0, 0.15, 0.8]]])
HSV = np.array([[0.1, 0.2, 0.3], [0.9, 0.5, 0.2], [0.55, 0.3, 0.7], [0.25, 0.4, 1.0]])


def each(convert):
    def function(x, *more):
        rows = [convert(*pixel, *map(float, more)) for pixel in x.reshape(-1, 3)]
        return np.array(rows).reshape(x.shape)

    return function


def turned(r, g, b, delta):
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb((h + delta) % 1, s, v)


def saturated(r, g, b, scale):
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    return colorsys.hsv_to_rgb(h, min(max(s * scale, 0), 1), v)


SAMPLES = [
    Sample("rgb_to_hsv", [PIXELS], each(colorsys.rgb_to_hsv)),
    Sample("hsv_to_rgb", [HSV], each(colorsys.hsv_to_rgb)),
    Sample("adjust_hue", [PIXELS, np.array(0.27)], each(turned)),
    Sample("adjust_saturation", [PIXELS, np.array(0.7)], each(saturated)),
    Sample("adjust_saturation", [PIXELS, np.array(1.7)], each(saturated), sharp="kept at 1"),
]

REFUSALS = [
    Refusal("colour-ints", lambda: ops.RGBToHSV()(Tensor([[1, 2, 3]])), TypeError, ("'RGBToHSV'",)),
    Refusal("colour-four", lambda: ops.HSVToRGB()(ops.ones((2, 4))), ValueError, ("(2, 4)",)),
    Refusal("hue-axes", lambda: ops.AdjustHue()(ops.ones((2, 3)), Tensor(0.5)), ValueError,
            ("'AdjustHue'", "(..., H, W, 3)")),
    Refusal("hue-delta", lambda: ops.AdjustHue()(ops.ones((1, 2, 3)), Tensor([0.5])), ValueError,
            ("'delta'", "(1,)")),
    Refusal("saturation-scale",
            lambda: ops.AdjustSaturation()(ops.ones((1, 2, 3)), Tensor([0.5])), ValueError,
            ("'scale'", "(1,)")),
]  # fmt: skip
