"""Rows for `sporax.ops.linalg.matrices`."""

import numpy as np
import scipy.linalg as linalg

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample


def embedded(x, offset=0, dim1=-2, dim2=-1):
    n = x.shape[-1] + abs(offset)
    built = np.zeros((*x.shape[:-1], n, n), x.dtype)
    for at in np.ndindex(x.shape[:-1]):
        built[at] = np.diag(x[at], offset)
    return np.moveaxis(built, (-2, -1), (dim1, dim2))


def kept(x, lower, upper):
    low = x if lower < 0 else np.triu(x, -lower)
    return low if upper < 0 else np.tril(low, upper)


def scattered(x, src, offset=0, dim1=0, dim2=1):
    out = x.copy()
    view = np.moveaxis(out, (dim1, dim2), (-2, -1))
    for at in np.ndindex(view.shape[:-2]):
        for i in range(src.shape[-1]):
            view[(*at, i + max(-offset, 0), i + max(offset, 0))] = src[(*at, i)]
    return out


def diagonal_filled(x, fill_value, wrap=False):
    y = x.copy()
    np.fill_diagonal(y, fill_value, wrap)
    return y


SAMPLES = [
    Sample("diag_embed", [(2, 3)], embedded),
    Sample("diag_embed", [(2, 3)], embedded, {"offset": 1, "dim1": 0, "dim2": 2}),
    Sample("diag_embed", [(3,)], embedded, {"offset": -2}),
    Sample(
        "block_diag_of_matrices",
        [(2, 3), (1, 2), (3,), ()],
        lambda *xs: linalg.block_diag(*xs),
        packed=True,
    ),
    Sample("kron", [(2, 3), (2, 2)], np.kron),
    Sample("kron", [(2,), (3, 2)], np.kron),
    Sample("matrix_band_part", [(2, 3, 4)], kept, {"lower": 1, "upper": 0}),
    Sample("matrix_band_part", [(3, 4)], kept, {"lower": -1, "upper": 1}),
    Sample("diagonal_scatter", [(3, 4), (3,)], scattered),
    Sample(
        "diagonal_scatter", [(2, 3, 4), (3, 2)], scattered, {"offset": -1, "dim1": 2, "dim2": 0}
    ),
    Sample("matrix_diag", [(2, 3)], lambda x: x[:, None] * np.eye(3)),
    Sample(
        "matrix_diag",
        [(3,)],
        lambda x, k, num_rows, num_cols, padding_value: np.where(
            np.eye(3, 4, 1), np.r_[0, x], padding_value
        ),
        {"k": 1, "num_rows": 3, "num_cols": 4, "padding_value": 9},
    ),
    Sample(
        "matrix_diag_part",
        [(2, 3, 3)],
        lambda x, k, padding_value: np.diagonal(x, k, 1, 2),
        {"k": -1, "padding_value": 0},
    ),
    Sample(
        "matrix_set_diag",
        [(2, 3, 3), (2, 3)],
        lambda x, diagonal: np.where(np.eye(3), diagonal[:, None], x),
    ),
    Sample("fill_diagonal", [(3, 2)], diagonal_filled, {"fill_value": 5.0}),
    Sample("fill_diagonal", [(7, 2)], diagonal_filled, {"fill_value": 5.0, "wrap": True}),
    Sample("fill_diagonal", [(2, 3)], diagonal_filled, {"fill_value": 5.0, "wrap": True}),
    Sample("fill_diagonal", [(2, 2, 2)], diagonal_filled, {"fill_value": 5.0}),
    Sample("vander", [(3,)], np.vander),
    Sample("vander", [(3,)], lambda x, N: np.vander(x, N), {"N": 2}),
    Sample("vecdot", [(2, 3), (3,)], lambda x, y: (x * y).sum(-1)),
    Sample("vecdot", [(2, 3), (2, 3)], lambda x, y, axis: (x * y).sum(axis), {"axis": 0}),
]

REFUSALS = [
    Refusal("fill_diagonal-sizes", lambda: Tensor(np.zeros((2, 3, 2))).fill_diagonal(1), ValueError,
            ("For 'FillDiagonal'", "'input'", "(2, 3, 2)")),
    Refusal("diag_embed-dims", lambda: ops.diag_embed(Tensor([1.0]), 0, 1, 1), ValueError,
            ("For 'diag_embed'", "'dim1'", "two axes")),
    Refusal("batch_dot-axes", lambda: ops.batch_dot(ops.ones((2, 3)), ops.ones((2, 3)), 0),
            ValueError, ("For 'batch_dot'", "'axes'", "0")),
]  # fmt: skip


def tridiagonal(above, main, below, rhs):
    n = main.shape[-1]
    dense = np.zeros((*main.shape[:-2], n, n))
    i = np.arange(n)
    dense[..., i, i] = main[..., 0, :]
    dense[..., i[:-1], i[1:]] = above[..., 0, :-1]
    dense[..., i[1:], i[:-1]] = below[..., 0, 1:]
    return dense @ rhs


SAMPLES += [
    Sample("tridiagonal_matmul", [(2, 1, 3)] * 3 + [(2, 3, 4)], tridiagonal),
]
