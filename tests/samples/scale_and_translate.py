"""Rows for `sporax.ops.image.scale_and_translate`."""

import numpy as np

from sporax import Tensor, ops
from tests.samples import Refusal, Sample


def cubic(b, c):
    """Mitchell and Netravali's kernel (1988)."""

    def weight(x):
        if x < 1:
            return ((12 - 9 * b - 6 * c) * x**3 + (-18 + 12 * b + 6 * c) * x**2 + 6 - 2 * b) / 6
        if x < 2:
            return ((-b - 6 * c) * x**3 + (6 * b + 30 * c) * x**2 + (-12 * b - 48 * c) * x
                    + 8 * b + 24 * c) / 6  # fmt: skip
        return 0.0

    return weight


KERNELS = {
    "lanczos3": lambda x: np.sinc(x) * np.sinc(x / 3) * (x <= 3),
    "lanczos1": lambda x: np.sinc(x) ** 2 * (x <= 1),
    "gaussian": lambda x: np.exp(-(x**2) / 2 / 0.5**2) * (x <= 1.5),
    "box": lambda x: 1.0 * (x < 0.5) + 0.5 * (x == 0.5), "triangle": lambda x: max(0, 1 - x),
    "keyscubic": cubic(0, 0.5), "mitchellcubic": cubic(1 / 3, 1 / 3),
}  # fmt: skip


def moved(images, scale, translation, size, kernel_type="lanczos3", antialias=True):
    for axis in (0, 1):
        n_in, s, t = images.shape[1 + axis], scale[axis], translation[axis]
        wide = max(1, 1 / s) if antialias else 1
        table = np.zeros((size[axis], n_in))
        for i in range(size[axis]):
            at = (i + 0.5 - t) / s
            if 0 <= at <= n_in:
                row = [KERNELS[kernel_type](abs(j + 0.5 - at) / wide) for j in range(n_in)]
                table[i] = np.array(row) / sum(row)
        images = np.moveaxis(np.tensordot(table, images, (1, 1 + axis)), 0, 1 + axis)
    return images


SAMPLES = [
    Sample("scale_and_translate_to", [(1, 3, 4, 2), np.array(scale), np.array(shift)], moved,
           {"size": size, "kernel_type": kind, "antialias": antialias},
           sharp="" if kind == "lanczos3" else "as the first row")
    for kind, scale, shift, size, antialias in (
        ("lanczos3", [0.8, 0.7], [0.1, -0.2], (2, 3), True),
        ("triangle", [1.5, 1.4], [0.13, -0.2], (5, 6), False),
        ("gaussian", [0.8, 0.7], [0.3, 0.2], (2, 3), True),
        ("keyscubic", [1.2, 0.7], [0.3, 0.2], (3, 3), True),
        ("mitchellcubic", [1.2, 0.7], [0.3, 0.2], (3, 3), True),
        ("box", [0.83, 0.7], [0.02, -0.2], (2, 3), True),
        ("lanczos1", [1.5, 1.4], [0.13, -0.2], (5, 6), True),
    )
]  # fmt: skip

X, TWO = ops.ones((1, 2, 2, 1)), Tensor([1.0, 1.0])
REFUSALS = [
    Refusal("scale-kernel", lambda: ops.ScaleAndTranslate("x")(X, (2, 2), TWO, TWO), ValueError,
            ("'ScaleAndTranslate'", "'kernel_type'", "'x'")),
    Refusal("scale-size", lambda: ops.ScaleAndTranslate()(X, (2,), TWO, TWO), ValueError,
            ("'ScaleAndTranslate'", "'size'")),
]  # fmt: skip
