"""Rows for the operations of `sporax.scipy`."""

import numpy as np
import scipy.fft
import scipy.optimize

import sporax.scipy.fft
import sporax.scipy.optimize  # noqa: F401  (which declares them)
from tests.samples import Sample


def assigned(cost, limit, maximize=False):
    return scipy.optimize.linear_sum_assignment(cost, maximize)


def cosines(x, sizes=None, axes=None, norm=None, inverse=False):
    return (scipy.fft.idctn if inverse else scipy.fft.dctn)(x, 2, sizes, axes, norm)


SAMPLES = [
    Sample("linear_sum_assignment_on_host", [(3, 4), np.array(9)], assigned),
    Sample("linear_sum_assignment_on_host", [(4, 3), np.array(3)], assigned, {"maximize": True}),
    Sample("cosine_transform", [(2, 4)], cosines, {"norm": "backward"}, rtol=1e-4),
    Sample("cosine_transform", [(4, 3)], cosines, {"axes": (0,), "norm": "ortho"}, rtol=1e-4),
    Sample("cosine_transform", [(4,)], cosines, {"inverse": True, "norm": "backward"}, rtol=1e-4),
]
