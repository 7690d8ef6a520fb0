"""Rows for `sporax.ops.linalg.distances`."""

import numpy as np
from scipy.spatial import distance

from tests.samples import Sample


def distances(x1, x2, p=2.0):
    return (np.abs(x1[..., :, None, :] - x2[..., None, :, :]) ** p).sum(-1) ** (1 / p)


def cosine(x1, x2, dim=1):
    return (x1 * x2).sum(dim) / np.linalg.norm(x1, axis=dim) / np.linalg.norm(x2, axis=dim)


SAMPLES = [
    Sample("cdist", [(2, 3, 2), (2, 4, 2)], distances),
    Sample("cdist", [(3, 2), (2, 2)], distances, {"p": 3.0}),
    Sample("pdist", [(4, 3)], distance.pdist),
    Sample("pdist", [(3, 2)], lambda x, p: distance.pdist(x, "cityblock"), {"p": 1.0}),
    Sample("dist", [(2, 3), (3,)], lambda a, b: np.linalg.norm(a - b)),
    Sample("dist", [(2, 3), (2, 3)],
           lambda a, b, p: (np.abs(a - b) ** p).sum() ** (1 / p), {"p": 3}),
    Sample("cosine_similarity", [(2, 3), (2, 3)], cosine),
    Sample("cosine_similarity", [(2, 3), (2, 3)], cosine, {"dim": 0}),
]  # fmt: skip
