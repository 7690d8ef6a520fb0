"""Rows for `sporax.ops.nn.fractional_pooling`."""

import itertools

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def starts(sample, size, kernel, count):
    step = (size - kernel) / (count - 1) if count > 1 else 0
    at = [int((i + sample) * step) - int(sample * step) for i in range(count - 1)]
    return [*at, size - kernel]


def windows(x, samples, kernel, size):
    plane, axes = x.shape[2:], len(kernel)
    values, places = np.zeros((*x.shape[:2], *size)), np.zeros((*x.shape[:2], *size), int)
    order = (1, 0) if axes == 2 else (0, 1, 2)
    for n, c in np.ndindex(*x.shape[:2]):
        begins = [starts(samples[n, c, order[a]], plane[a], kernel[a], size[a])
                  for a in range(axes)]  # fmt: skip
        for at in np.ndindex(*size):
            low = [begins[a][i] for a, i in enumerate(at)]
            part = x[n, c][tuple(slice(b, b + k) for b, k in zip(low, kernel, strict=True))]
            best = np.unravel_index(part.argmax(), part.shape)
            values[n, c][at] = part.max()
            places[n, c][at] = np.ravel_multi_index(np.add(low, best), plane)
    return values, places


def parts(x, rows, columns, longest, overlapping=False, mean=False):
    out = np.zeros((len(x), len(rows) - 1, len(columns) - 1, x.shape[-1]))
    for i, j in itertools.product(range(len(rows) - 1), range(len(columns) - 1)):
        seen = x[:, rows[i] : rows[i + 1] + overlapping, columns[j] : columns[j + 1] + overlapping]
        out[:, i, j] = (seen.mean if mean else seen.max)((1, 2))
    return out


def boundaries(draws, size, count, pseudo_random):
    if pseudo_random:
        ratio, least = size / count, size // count
        most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        inner = [np.ceil(ratio * (i + draws[0] * most)) - 1 for i in range(1, count)]
        return np.array([0, *inner, size])
    lengths = np.full(count, size // count)
    lengths[np.argsort(draws)[: size % count]] += 1
    return np.array([0, *np.cumsum(lengths)])


ROWS, COLUMNS = np.array([0, 1, 3, 4, 6, 7]), np.array([0, 2, 3, 5, 6])
DRAWN = np.array([[[0.3, 0.7], [0.9, 0.1]]])
DRAWS = np.array([0.3, 0.9, 0.1, 0.5])
WHERE = {"longest": (2, 2)}
SAMPLES = [
    Sample("fractional_windows", [(1, 2, 7, 6), DRAWN], windows,
           {"kernel": (2, 3), "size": (4, 2)}, outputs=(0,)),
    Sample("fractional_windows", [(1, 2, 5, 6, 4), np.array([[[0.3, 0.8, 0.5], [0.1, 0.6, 0.9]]])],
           windows, {"kernel": (2, 2, 3), "size": (3, 3, 1)}, outputs=(0,)),
    *[Sample("pooled_regions", [(2, 7, 6, 2), ROWS, COLUMNS], parts,
             WHERE | {"overlapping": overlapping, "mean": mean})
      for overlapping in (False, True) for mean in (False, True)],
    *[Sample("region_boundaries", [DRAWS], boundaries,
             {"size": 7, "count": 4, "pseudo_random": kind}) for kind in (False, True)],
]  # fmt: skip

X = ops.ones((1, 2, 7, 6))
REFUSALS = [
    Refusal(f"fractional-{name}", call, error, says)
    for name, call, error, says in [
        ("size", lambda: ops.fractional_max_pool2d(X, 2), ValueError,
         ("'fractional_max_pool2d'", "'output_size'", "'output_ratio'")),
        ("large", lambda: ops.fractional_max_pool2d(X, 2, 7), ValueError, ("(7, 7)", "(7, 6)")),
        ("ratio", lambda: ops.fractional_max_pool2d(X, 2, output_ratio=1.5), ValueError,
         ("'output_ratio'", "(0, 1)", "1.5")),
        ("samples", lambda: ops.fractional_max_pool2d(X, 2, 3, None, False, ops.ones((1, 2, 3))),
         ValueError, ("'random_samples'", "(1, 2, 3)")),
        ("indices", lambda: ops.fractional_max_pool3d(X, 2, 3, return_indices=1), TypeError,
         ("'return_indices'",)),
        ("pooling-ratio", lambda: ops.FractionalMaxPool([1.0, 0.5, 1.5, 1.0])(X), ValueError,
         ("'FractionalMaxPool'", "'pooling_ratio'", "[1.0, 0.5, 1.5, 1.0]")),
        ("pooling-axes", lambda: ops.FractionalAvgPool([1.0, 1.5, 1.5, 1.0])(X[0]), ValueError,
         ("'FractionalAvgPool'", "(2, 7, 6)")),
        ("format-2", lambda: ops.FractionalMaxPoolWithFixedKsize(2, 3, "NHWC")(X, X), ValueError,
         ("'data_format'", "'NHWC'")),
        ("format-3", lambda: ops.FractionalMaxPool3DWithFixedKsize(2, 3, "NHWC")(X, X), ValueError,
         ("'data_format'", "'NHWC'")),
    ]
]  # fmt: skip
