"""Rows for `sporax.ops.shape.creation`."""

import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from tests.samples import Refusal, Sample

SQUARE = np.arange(9).reshape(3, 3)


def progression(start, end, step, dtype):
    return np.arange(start, end, step)


def diag(x):
    return np.diag(x.ravel()).reshape(x.shape * 2)


SAMPLES = [
    Sample("zeros", [], lambda size: np.zeros(size), {"size": (2, 3)}),
    Sample("zeros", [], lambda size, dtype: np.zeros(size), {"size": 2, "dtype": dtypes.int32}),
    Sample("ones", [], lambda shape: np.ones(shape), {"shape": (2, 0)}),
    Sample(
        "full",
        [],
        lambda size, fill_value: np.full(size, fill_value),
        {"size": (2,), "fill_value": 2.5},
    ),
    Sample("zeros_like", [(2, 3)], np.zeros_like),
    Sample("ones_like", [(2, 3)], lambda x, dtype: np.ones_like(x), {"dtype": dtypes.int32}),
    Sample("full_like", [(2, 3), ()], np.full_like),
    Sample(
        "arange_with_dtype",
        [],
        progression,
        {"start": 1, "end": 9, "step": 3, "dtype": dtypes.int64},
    ),
    Sample(
        "arange_with_dtype",
        [],
        progression,
        {"start": 1, "end": -1, "step": -0.4, "dtype": dtypes.float32},
    ),
    Sample("linspace", [(), ()], lambda a, b, steps: np.linspace(a, b, steps), {"steps": 4}),
    Sample("eye", [], lambda n: np.eye(n), {"n": 2}),
    Sample("eye", [], lambda n, m: np.eye(n, m), {"n": 2, "m": 3}),
    Sample("tril", [(2, 3, 3)], lambda x, diagonal: np.tril(x, diagonal), {"diagonal": -1}),
    Sample("triu", [(3, 3)], lambda x: np.triu(x)),
    Sample("diag", [(3,)], diag),
    Sample("diag", [SQUARE], diag),
    Sample("diagonal_of_matrix", [(3,)], lambda x, diagonal: np.diag(x, diagonal), {"diagonal": 1}),
    Sample(
        "diagonal_of_matrix", [(3, 4)], lambda x, diagonal: np.diag(x, diagonal), {"diagonal": -1}
    ),
    Sample("diagonal", [(3, 3)], lambda x, offset: np.diagonal(x, offset), {"offset": 1}),
    Sample("meshgrid_of_class", [(3,), (2,)], lambda *xs: np.meshgrid(*xs), packed=True),
    Sample(
        "meshgrid_of_class",
        [(3,), (2,)],
        lambda *xs, indexing: np.meshgrid(*xs, indexing="ij"),
        {"indexing": "ij"},
        packed=True,
    ),
]

SAMPLES += [
    Sample("logspace", [np.array(0.5, "f4"), np.array(2.0, "f4")],
           lambda a, b, steps, dtype: np.logspace(a, b, steps),
           {"steps": 4, "dtype": dtypes.float64}),
    Sample("logspace", [np.array(0.5, "f4"), np.array(2.0, "f4")],
           lambda a, b, steps, base, dtype: np.logspace(a, b, steps, base=base),
           {"steps": 3, "base": 2, "dtype": dtypes.float64}),
]  # fmt: skip

REFUSALS = [
    Refusal("logspace-steps", lambda: ops.logspace(1.0, 2.0, -1), ValueError, ("'steps'", "-1")),
    Refusal(
        "logspace-dtype",
        lambda: ops.logspace(1.0, 2.0, 3, dtype=dtypes.int64),
        TypeError,
        ("'dtype'", "floating"),
    ),
    Refusal(
        "fills", lambda: ops.fills(ops.ones((2,)), "a"), TypeError, ("'fills'", "'value'", "str")
    ),
    Refusal("arange-step", lambda: ops.arange(0, 3, 0), ValueError, ("For 'Range'", "step")),
    Refusal(
        "range-long", lambda: ops.range(0, 9, 1, maxlen=5), ValueError, ("For 'range'", "maxlen=5")
    ),
]
