"""Rows for `sporax.ops.legacy.device_status`."""

import numpy as np

from sporax import ops
from tests.samples import Refusal, Sample


def status(x):
    return np.array([float(not np.isfinite(x).all())])


SAMPLES = [
    Sample("float_status", [(2, 3)], status),
    Sample("float_status", [np.array([1.0, np.inf])], status),
    Sample("float_status", [np.array([1.0, np.nan])], status),
]

REFUSALS = [Refusal("tuple_len", lambda: ops.tuple_len([1]), TypeError, ("'tuple_len'", "list"))]
