"""Samples of the steps of optimizers that are operations of their own."""

import numpy as np

from tests.samples import Sample


def lars(w, g, squares, grad_squares, decay, rate, epsilon=1e-5, hyperpara=0.001, use_clip=False):
    norm = np.sqrt(squares)
    factor = hyperpara * norm / (np.sqrt(grad_squares) + decay * norm + epsilon)
    return (min(factor / rate, 1) if use_clip else factor) * (g + decay * w)


def ada_factor(g, w, mean, rows, columns, squares, eps, clip, b1, b2, decay, rate, norm, **flags):
    """AdaFactor's step, for matrices by their rows' and columns' means."""
    g = g / norm
    new = g**2 + eps[0]
    if w.ndim == 2:
        rows = b2 * rows + (1 - b2) * new.mean(1)
        columns = b2 * columns + (1 - b2) * new.mean(0)
        change = g / np.sqrt(np.outer(rows, columns) / rows.mean())
    else:
        squares = b2 * squares + (1 - b2) * new
        change = g / np.sqrt(squares)
    if flags.get("scales"):
        rate = rate * max(eps[1], np.sqrt((w**2).mean()))
    change = rate * change / max(1, np.sqrt((change**2).mean()) / clip)
    if flags.get("averages"):
        change = mean = b1 * mean + (1 - b1) * change
    if flags.get("decays"):
        w = w * (1 - rate * decay)
    return w - change, mean, rows, columns, squares


NUMBERS = [np.array(n) for n in (0.9, 0.8, 0.7, 0.1, 0.05, 2.0)]
SQUARES = [np.array(n) for n in (4.0, 9.0, 0.1, 0.5)]
ALL = {"scales": True, "averages": True, "decays": True}


def step(*shapes, **flags):
    first, second = shapes[:3], shapes[3:]
    inputs = [*first, *[np.full(s, 0.3) for s in second], np.array([1e-3, 1e-2]), *NUMBERS]
    return Sample("ada_factor_step", inputs, ada_factor, flags)


SAMPLES = [
    Sample("lars_update", [(3, 2), (3, 2), *SQUARES], lars),
    Sample("lars_update", [(4,), (4,), *SQUARES], lars, {"hyperpara": 2.0, "use_clip": True}),
    step((5,), (5,), (5,), (5,), (5,), (5,)),
    step((3, 2), (3, 2), (3, 2), (3,), (2,), (3, 2), **ALL),
]
