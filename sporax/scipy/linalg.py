"""SciPy's names for the matrix factorizations in `sporax.ops.linalg.factorization`.

`overwrite_a` and `overwrite_b` are accepted without effect; `check_finite` raises ValueError for
infinities and NaN, which reads the elements.
"""

import numpy as np

from sporax import ops
from sporax._src.core.dtype import complex64, complex128, float32, float64, int32, int64
from sporax._src.core.errors import missing
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.linalg.factorization import (
    eigh_with_vectors,
    lu_with_pivots,
    matrix_triangular_solve,
)


def _taken(who, name, a, least=2, square=False):
    who, is_tensor = f"scipy.linalg.{who}", isinstance(a, Tensor)
    require(is_tensor, "tensor-argument-type-linalg", who, argument=name, got=a)
    shape = a.shape
    is_square = not square or (len(shape) >= 2 and shape[-1] == shape[-2])
    require(is_square, "shape-letters", who, argument=name, letters="(..., n, n)", got=shape)
    require(len(shape) >= least, "at-least-dimensions", who, argument=name, n=least, shape=shape)
    return a.astype("float64") if a.dtype in (int32, int64) else a


def _finite(who, check, *tensors):
    is_finite = not check or all(np.isfinite(t.asnumpy()).all() for t in tensors)
    require(is_finite, "numbers-finite-check-finite-true", f"scipy.linalg.{who}")


_EIGH = int32, int64, float32, float64, complex64, complex128


def block_diag(*arrs):
    """The block-diagonal matrix of the given matrices.

    >>> sporax.scipy.linalg.block_diag(Tensor([[1.0]]), Tensor([[2.0]])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    return ops.block_diag(*arrs) if arrs else ops.zeros((1, 0), float32)


def inv(a, overwrite_a=False, check_finite=True):
    """The inverse of each matrix.

    >>> sporax.scipy.linalg.inv(Tensor([[2.0]])).tolist()
    [[0.5]]
    """
    a = _taken("inv", "a", a, square=True)
    _finite("inv", check_finite, a)
    return ops.inverse(a)


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The upper triangular U with $U^H U = a$; `lower`: L with $L L^H = a$.

    >>> sporax.scipy.linalg.cholesky(Tensor([[4.0]])).tolist()
    [[2.0]]
    """
    a = _taken("cholesky", "a", a, square=True)
    _finite("cholesky", check_finite, a)
    return ops.cholesky(a, upper=not lower)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """(`cholesky(a, lower)`, `lower`), for `cho_solve`.

    >>> sporax.scipy.linalg.cho_factor(Tensor([[4.0]]))[1]
    False
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """X with A X = b, from `cho_factor(A)`; `b`: `(n,)` or `(n, k)`.

    >>> c = sporax.scipy.linalg.cho_factor(Tensor([[4.0]]))
    >>> sporax.scipy.linalg.cho_solve(c, Tensor([8.0])).tolist()
    [2.0]
    """
    c, lower = c_and_lower
    c, b = _taken("cho_solve", "c", c, square=True), _taken("cho_solve", "b", b, 1)
    _finite("cho_solve", check_finite, c, b)
    flat = b.ndim == c.ndim - 1
    x = ops.cholesky_solve(b.expand_dims(-1) if flat else b, c, not lower)
    return x.squeeze(-1) if flat else x


def eigh(
    a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True,
    eigvals=None, type=1, check_finite=True,
):  # fmt: skip
    """Eigenvalues (ascending) and, as columns, eigenvectors of Hermitian matrices.

    `lower`: read the lower triangle, else the upper one. `b` (the generalised problem) and
    `eigvals` (a range) must be None.

    >>> sporax.scipy.linalg.eigh(Tensor([[2.0, 0.0], [0.0, 1.0]]), eigvals_only=True).tolist()
    [1.0, 2.0]
    """
    who = "scipy.linalg.eigh"
    kinds.BOOL(
        who, lower=lower, eigvals_only=eigvals_only, overwrite_a=overwrite_a,
        overwrite_b=overwrite_b, turbo=turbo, check_finite=check_finite,
    )  # fmt: skip
    kinds.INT(who, type=type)
    is_plain = b is None and eigvals is None and type == 1
    require(is_plain, "eigvals-none-type-1", who, argument="b")
    a = _taken("eigh", "a", a, square=True)
    require(a.dtype in _EIGH, "dtype-one-of", who, argument="a", dtypes=_EIGH, got=a.dtype)
    _finite("eigh", check_finite, a)
    values, vectors = eigh_with_vectors(a, lower)
    return values if eigvals_only else (values, vectors)


def lstsq(A, B, rcond=None, driver=None):
    """(X, residues, rank, singular values) with X minimising $|A X - B|$; `A`: `(m, n)`.

    Singular values of at most `rcond` times the largest count as 0. `driver`: without effect.

    >>> sporax.scipy.linalg.lstsq(Tensor([[2.0], [0.0]]), Tensor([4.0, 1.0]))[0].asnumpy().round(4)
    array([2.], dtype=float32)
    """
    A, B = _taken("lstsq", "A", A), _taken("lstsq", "B", B, 1)
    flat = B.ndim == A.ndim - 1
    b = B.expand_dims(-1) if flat else B
    x = ops.matmul(ops.pinv(A, rtol=rcond), b)
    s = ops.svd(A, compute_uv=False)
    limit = max(A.shape[-2:]) * float(np.finfo(s.asnumpy().dtype).eps) if rcond is None else rcond
    rank = (s > s[..., :1] * limit).astype(int32).sum(-1)
    r = ops.matmul(A, x) - b
    residues = (r * r.conj()).real().sum(-2) if r.is_complex() else (r * r).sum(-2)
    return (x.squeeze(-1) if flat else x), residues.squeeze(-1) if flat else residues, rank, s


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """(P, L, U) with a = P L U; `permute_l`: (P L, U).

    >>> [t.tolist() for t in sporax.scipy.linalg.lu(Tensor([[2.0]]))]
    [[[1.0]], [[1.0]], [[2.0]]]
    """
    a = _taken("lu", "a", a)
    _finite("lu", check_finite, a)
    packed, _, order = lu_with_pivots(a)
    rows, columns = a.shape[-2:]
    k = min(rows, columns)
    lower = ops.tril(packed[..., :, :k], -1) + ops.eye(rows, k, packed.dtype)
    upper = ops.triu(packed[..., :k, :])
    selection = ops.one_hot(order, rows, Tensor(1.0), Tensor(0.0)).astype(packed.dtype)  # type: ignore[reportArgumentType]  # or Tensors
    permutation = selection.swapaxes(-1, -2)
    if permute_l:
        return ops.matmul(permutation, lower), upper
    return permutation, lower, upper


def lu_factor(a, overwrite_a=False, check_finite=True):
    """(L and U in one matrix, pivots: row i was swapped with row pivots[i]), for `lu_solve`.

    >>> sporax.scipy.linalg.lu_factor(Tensor([[2.0]]))[1].tolist()
    [0]
    """
    a = _taken("lu_factor", "a", a)
    _finite("lu_factor", check_finite, a)
    packed, pivots, _ = lu_with_pivots(a)
    return packed, pivots


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """X with A X = b, from `lu_factor(A)`; `b`: `(*, n)` or `(*, n, k)`.

    `trans`: 0: A; 1: its transpose; 2: its adjoint.

    >>> sporax.scipy.linalg.lu_solve(
    ...     sporax.scipy.linalg.lu_factor(Tensor([[2.0]])), Tensor([4.0])).tolist()
    [2.0]
    """
    kinds.one_of(0, 1, 2)("scipy.linalg.lu_solve", trans=trans)
    packed, pivots = lu_and_piv
    packed, b = _taken("lu_solve", "lu", packed, square=True), _taken("lu_solve", "b", b, 1)
    _finite("lu_solve", check_finite, packed, b)
    is_vector = b.ndim == packed.ndim - 1
    right = ops.expand_dims(b, -1) if is_vector else b
    rows = ops.lu_unpack(packed, pivots + 1, unpack_data=False)[0]  # A = rows L U
    if trans == 0:
        below = matrix_triangular_solve(packed, rows.swapaxes(-1, -2) @ right, True, unit=True)
        result = matrix_triangular_solve(packed, below, False)
    else:
        how = {"adjoint": trans == 2, "transposed": trans == 1}
        above = matrix_triangular_solve(packed, right, False, **how)
        result = rows @ matrix_triangular_solve(packed, above, True, unit=True, **how)
    return result.squeeze(-1) if is_vector else result


def det(a, overwrite_a=False, check_finite=True):
    """The determinant of each matrix.

    >>> sporax.scipy.linalg.det(Tensor([[2.0, 1.0], [1.0, 2.0]])).item()
    3.0
    """
    a = _taken("det", "a", a, square=True)
    _finite("det", check_finite, a)
    return ops.det(a)


def solve_triangular(
    a, b, trans: int | str = 0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None,
    check_finite=True,
):  # fmt: skip
    """X with A X = b, where A is triangular, `(*, n, n)`; `b`: `(*, n)` or `(*, n, k)`.

    `trans`: 0 or 'N': A; 1 or 'T': its transpose; 2 or 'C': its adjoint.

    >>> sporax.scipy.linalg.solve_triangular(Tensor([[2.0]]), Tensor([4.0])).tolist()
    [2.0]
    """
    codes = {0: 0, "N": 0, 1: 1, "T": 1, 2: 2, "C": 2}
    if trans not in codes:
        raise rejection("one-of", "scipy.linalg.solve_triangular", trans=trans, choices=list(codes))
    a = _taken("solve_triangular", "a", a, square=True)
    b = _taken("solve_triangular", "b", b, 1)
    _finite("solve_triangular", check_finite, a, b)
    return matrix_triangular_solve(a, b, lower, codes[trans] == 2, codes[trans] == 1, unit_diagonal)


def __getattr__(name):
    raise missing("scipy.linalg", name)
