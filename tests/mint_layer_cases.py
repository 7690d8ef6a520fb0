"""Layers of `mint.nn` as PyTorch has them too: how each is made, and the shape that goes in."""

import math

import numpy as np

ROWS = [
    ("nn.Linear(3, 4)", (2, 3)),
    ("nn.Linear(in_features=3, out_features=2, bias=False)", (2, 2, 3)),
    ("nn.Conv2d(2, 3, 3)", (1, 2, 5, 4)),
    ("nn.Conv2d(2, 4, kernel_size=(3, 2), stride=2, padding=1, groups=2)", (2, 2, 5, 4)),
    ("nn.Conv2d(1, 2, 3, padding=(2, 0), dilation=2, bias=False)", (1, 1, 6, 5)),
    ("nn.Conv2d(2, 2, (4, 3), padding='same')", (1, 2, 5, 4)),
    ("nn.Conv2d(1, 2, 3, padding=1, padding_mode='reflect')", (1, 1, 4, 4)),
    ("nn.Conv2d(1, 2, 3, padding=(1, 2), padding_mode='circular')", (1, 1, 4, 4)),
    ("nn.Conv2d(1, 2, 3, padding='same', padding_mode='replicate')", (1, 4, 4)),
    ("nn.AvgPool2d(2)", (1, 2, 5, 4)),
    ("nn.AvgPool2d((3, 2), stride=1, padding=1, count_include_pad=False)", (1, 1, 4, 4)),
    ("nn.AvgPool2d(3, stride=2, ceil_mode=True, divisor_override=4)", (1, 1, 6, 4)),
]


def numbers(shape):
    """Numbers that are always the same."""
    at = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    return np.sin(at * 1.7 + len(shape)).astype(np.float32)


def weights(parameters):
    return [numbers(tuple(p.shape)) for p in parameters]
