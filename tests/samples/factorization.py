"""Rows for `sporax.ops.linalg.factorization`."""

import numpy as np
import scipy.linalg as linalg

from sporax import ops
from sporax._src.core.tensor import Tensor
from tests.samples import Refusal, Sample

rng = np.random.default_rng(3)
TALL = np.round(rng.uniform(-2, 2, (3, 2)), 2)
MATRICES = np.round(rng.uniform(-1, 1, (2, 3, 3)), 2) + 2 * np.eye(3)
PACKED = np.linalg.qr(TALL, "raw")
DEFINITE = np.round(MATRICES @ np.swapaxes(MATRICES, -1, -2), 4)  # the same on every machine
LOWER = np.round(np.linalg.cholesky(DEFINITE), 3)
B = np.round(rng.uniform(-2, 2, (2, 3, 2)), 2)
# real eigenvalues in the order in which LAPACK finds them: the matrix is a triangle
TRIANGLE = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0], [0.0, 0.0, -2.0]])
READ = "an eigenvector's sign"
LU, PIVOTS = map(np.array, zip(*[linalg.lu_factor(m) for m in MATRICES], strict=True))


def qr(x, full_matrices=False):
    return [np.linalg.qr(x, "complete" if full_matrices else "reduced")[i] for i in (0, 1)]


def eigen(x):
    return [part.astype(complex) for part in np.linalg.eig(x)]


def eigh(x, lower=True):
    return np.linalg.eigh(x, "L" if lower else "U")


def lu(x):
    built = [linalg.lu_factor(m) for m in x]
    orders = [linalg.lu(m, p_indices=True)[0].argsort() for m in x]
    return np.array([m for m, _ in built]), np.array([p for _, p in built]), np.array(orders)


def solved(b, lu, pivots):
    return np.array([linalg.lu_solve(f, x) for *f, x in zip(lu, pivots - 1, b, strict=True)])


def triangular(a, b, lower=True, adjoint=False, transposed=False, unit=False):
    trans = 2 if adjoint else int(transposed)
    return np.array([
        linalg.solve_triangular(m, x, trans, lower, unit) for m, x in zip(a, b, strict=True)
    ])  # fmt: skip


def each(function):
    return lambda x, **attrs: np.array([function(m, **attrs) for m in x])


CLOSE = {"rtol": 1e-4, "atol": 1e-5}
SAMPLES = [
    Sample("qr_of_class", [TALL], qr, **CLOSE),
    Sample("qr_of_class", [MATRICES], qr, **CLOSE),
    Sample("qr_of_class", [TALL], qr, {"full_matrices": True}, sharp="JAX has none", **CLOSE),
    Sample("eig", [TRIANGLE], eigen, **CLOSE),
    Sample("eigvals", [TRIANGLE], lambda x: eigen(x)[0], **CLOSE),
    Sample("eigh_with_vectors", [DEFINITE], eigh, outputs=(0,), **CLOSE),
    Sample("eigh_with_vectors", [TALL[:2]], eigh, {"lower": False}, outputs=(0,), **CLOSE),
    Sample("cholesky_inverse", [LOWER], lambda x: np.linalg.inv(x @ x.swapaxes(-1, -2)), **CLOSE),
    Sample("cholesky_inverse", [LOWER[0].T], lambda x, upper: np.linalg.inv(x.T @ x),
           {"upper": True}, **CLOSE),
    Sample("cholesky_solve", [B, LOWER],
           lambda b, x: np.linalg.solve(x @ x.swapaxes(-1, -2), b), **CLOSE),
    Sample("lu_with_pivots", [MATRICES], lu, outputs=(0,), **CLOSE),
    Sample("lu_solve", [B, LU, (PIVOTS + 1).astype(np.int32)], solved, **CLOSE),
    Sample("matrix_solve", [MATRICES, B], np.linalg.solve, **CLOSE),
    Sample("matrix_solve", [MATRICES, B],
           lambda a, b, adjoint: np.linalg.solve(a.swapaxes(-1, -2), b), {"adjoint": True},
           **CLOSE),
    Sample("matrix_triangular_solve", [LOWER, B], triangular, **CLOSE),
    Sample("matrix_triangular_solve", [LOWER, B], triangular, {"adjoint": True}, **CLOSE),
    Sample("matrix_triangular_solve", [LOWER, B], triangular,
           {"lower": False, "transposed": True, "unit": True}, **CLOSE),
    Sample("lstsq", [TALL, TALL[:, :1] + 1],
           lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], **CLOSE),
    Sample("pinv", [TALL], np.linalg.pinv, **CLOSE),
    Sample("pinv", [np.array([[1.0, 2.0], [2.0, 4.0]])],
           lambda x, rtol: np.linalg.pinv(x, rtol), {"rtol": 1e-3}, sharp="of lower rank", **CLOSE),
    Sample("matrix_exp", [MATRICES], each(linalg.expm), **CLOSE),
    Sample("matrix_power", [MATRICES], np.linalg.matrix_power, {"n": 3}, **CLOSE),
    Sample("matrix_power", [MATRICES], np.linalg.matrix_power, {"n": -2}, **CLOSE),
    Sample("slogdet", [MATRICES], np.linalg.slogdet, outputs=(1,), **CLOSE),
    Sample("logdet", [DEFINITE], lambda x: np.linalg.slogdet(x)[1], **CLOSE),
    Sample("geqrf", [TALL], lambda x: [np.swapaxes(np.linalg.qr(x, "raw")[0], -1, -2),
                                       np.linalg.qr(x, "raw")[1]], **CLOSE),
    Sample("orgqr", [np.round(part, 6) for part in (PACKED[0].T, PACKED[1])],
           lambda x, tau: np.linalg.qr(TALL)[0], **CLOSE),
]  # fmt: skip

SAMPLES += [
    Sample("lu_factors", [LU, (PIVOTS + 1).astype(np.int32)],
           lambda lu, pivots: [np.array(p) for p in zip(*map(linalg.lu, MATRICES), strict=True)],
           outputs=(1, 2), **CLOSE),
    Sample("lu_factors", [LU[0, :, :2], np.array([2, 3], np.int32)],
           lambda lu, pivots: [np.eye(3)[:, [1, 2, 0]], np.tril(lu, -1) + np.eye(3, 2),
                               np.triu(lu)[:2]], outputs=(1, 2), **CLOSE),
]  # fmt: skip

REFUSALS = [
    Refusal(
        "lu-unpack-pivots",
        lambda: ops.lu_unpack(Tensor(LU), Tensor(PIVOTS[:, :1])),
        ValueError,
        ("'LuUnpack'", "'LU_pivots'"),
    ),
    Refusal(
        "lstsq-l2",
        lambda: ops.Lstsq(True, -1.0)(Tensor(TALL), Tensor(TALL)),
        ValueError,
        ("'l2_regularizer'", "-1.0"),
    ),
    Refusal("eig-wide", lambda: ops.eig(Tensor(TALL)), ValueError, ("For 'eig'", "(..., n, n)")),
    Refusal("qr-mode", lambda: ops.qr(Tensor(TALL), "full"), ValueError, ("'mode'", "'full'")),
]


def product_of_reflections(x, tau, other, left=True, transpose=False):
    result = []
    for a, factors, c in zip(*(np.reshape(m, (-1, *m.shape[m.ndim - r:])) for m, r in
                               ((x, 2), (tau, 1), (other, 2))), strict=True):  # fmt: skip
        q = np.eye(len(a))
        for i, factor in enumerate(factors):
            v = np.concatenate([np.zeros(i), [1], a[i + 1 :, i]])
            q = q @ (np.eye(len(a)) - factor * np.outer(v, v))
        q = q.T if transpose else q
        result.append(q @ c if left else c @ q)
    return np.reshape(result, other.shape)


def least_squares(a, b, regularizer, fast=True):
    if not fast:
        return np.linalg.lstsq(a, b)[0]
    whole = np.concatenate([a, np.sqrt(regularizer) * np.eye(a.shape[1])])
    return np.linalg.lstsq(whole, np.concatenate([b, np.zeros((a.shape[1], b.shape[1]))]))[0]


SPIRAL = np.array([[1.0, 0.5], [-0.25, 1.5]]) + 0.5j
SAMPLES += [
    Sample("ormqr", [(3, 2), (2,), (3, 4)], product_of_reflections),
    Sample("ormqr", [(3, 2), (2,), (3, 4)], product_of_reflections, {"transpose": True}),
    Sample("ormqr", [(2, 3, 3), (2, 3), (2, 2, 3)], product_of_reflections, {"left": False}),
    Sample("matrix_logarithm", [SPIRAL], linalg.logm),
    Sample("matrix_solve_ls", [(4, 2), (4, 3), np.array(0.5)], least_squares),
    Sample("matrix_solve_ls", [(2, 4), (2, 3), np.array(0.5)], least_squares),
    Sample("matrix_solve_ls", [(4, 2), (4, 3), np.array(0.5)], least_squares, {"fast": False},
           rtol=1e-4, atol=1e-5),
]  # fmt: skip
REFUSALS += [
    Refusal("ormqr-tau", lambda: ops.ormqr(ops.ones((3, 2)), ops.ones((3,)), ops.ones((3, 4))),
            ValueError, ("'Ormqr'", "'tau'", "(2,)")),
    Refusal("logm-real", lambda: ops.MatrixLogarithm()(ops.ones((2, 2))), TypeError,
            ("'MatrixLogarithm'", "complex64")),
]  # fmt: skip
