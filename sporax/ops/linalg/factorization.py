"""Matrix factorizations, and linear equations solved by them."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as linalg
import numpy as np

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, Arrays, attach, composite, op
from sporax.ops.math.arithmetic import floating
from sporax.ops.operand_checks import require_integers, require_shapes
from sporax.ops.shape.creation import eye, zeros
from sporax.ops.shape.joining import concat

_QR_MODE = kinds.one_of("reduced", "complete", "r")


def square(a, name="input"):
    require_shapes(**{name: (a, "... n n")})
    return floating(a)


def matrix(a, name="input"):
    require_shapes(**{name: (a, "... m n")})
    return floating(a)


def _adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


@op(function=(), primitive="Qr(full_matrices=False)(x: input)")
def qr_of_class(input: Array, full_matrices=False) -> Arrays:
    r"""$A = Q R$ of each matrix `(*, m, n)`: Q has orthonormal columns, R is upper triangular.

    >>> q, r = ops.Qr()(Tensor([[3.0, 0.0], [4.0, 5.0]]))
    >>> abs(r.asnumpy()).round(3)
    array([[5., 4.],
           [0., 3.]], dtype=float32)
    """
    return tuple(jnp.linalg.qr(matrix(input), "complete" if full_matrices else "reduced"))


@composite(mint=("qr", "linalg.qr(A: input, mode='reduced')"))
def qr(input, mode="reduced") -> Array | Arrays:
    r"""$A = Q R$ of each matrix `(*, m, n)`, with k the smaller of m and n.

    `mode`: 'reduced' (Q `(m, k)`, R `(k, n)`), 'complete' (`(m, m)`, `(m, n)`) or 'r' (Q is empty).

    >>> q, r = ops.qr(Tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> (q @ r).asnumpy().round(4)
    array([[3., 1.],
           [4., 2.]], dtype=float32)
    """
    _QR_MODE("qr", mode=mode)
    q, r = qr_of_class(input, mode == "complete")
    return (q.reshape(-1)[:0], r) if mode == "r" else (q, r)


def _method_qr(input, some=True) -> Arrays:
    """`ops.qr`; `some`: the reduced form.

    >>> q, r = Tensor([[3.0, 0.0], [4.0, 5.0]]).qr()
    >>> abs(r.asnumpy()).round(3)
    array([[5., 4.],
           [0., 3.]], dtype=float32)
    """
    return qr_of_class(input, not some)


attach("qr", _method_qr)


@op(function="eig(A: input)", name="eig", differentiable=False)
def eig(input: Array) -> Arrays:
    """The eigenvalues of each matrix `(*, n, n)`, and eigenvectors as columns: complex, unordered.

    Only on a CPU. Not differentiable: the length and phase of an eigenvector are arbitrary.

    >>> ops.eig(Tensor([[2.0, 0.0], [0.0, 3.0]]))[0].asnumpy()
    array([2.+0.j, 3.+0.j], dtype=complex64)
    """
    return tuple(jnp.linalg.eig(square(input, "A")))


@op(function="eigvals(A: input)", tensor="eigvals(input)", name="eigvals", differentiable=False)
def eigvals(input: Array):
    """The eigenvalues of each matrix `(*, n, n)`: complex, unordered. Only on a CPU.

    >>> ops.eigvals(Tensor([[2.0, 0.0], [0.0, 3.0]])).asnumpy()
    array([2.+0.j, 3.+0.j], dtype=complex64)
    """
    return jnp.linalg.eigvals(square(input, "A"))


@composite(function=(), op="eig", primitive="Eig(compute_v=False)(x: input)")
def eig_of_class(input, compute_v=False) -> Array | Arrays:
    """The eigenvalues of matrices, and their eigenvectors if `compute_v`, else an empty Tensor.

    >>> values, vectors = ops.Eig(True)(Tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> values.asnumpy().real
    array([2., 3.], dtype=float32)
    """
    values, vectors = eig(input)
    return values, vectors if compute_v else vectors.reshape(-1)[:0]


@op(function=(), name="Eigh")
def eigh_with_vectors(input: Array, lower=True):
    """Return ascending eigenvalues and vectors of Hermitian matrices; one triangle is read."""
    a = square(input)
    a = jnp.tril(a) if lower else jnp.triu(a)
    diagonal = jnp.real(jnp.diagonal(a, axis1=-2, axis2=-1))
    whole = a + _adjoint(a) - _diagonal(diagonal).astype(a.dtype)
    return tuple(jnp.linalg.eigh(whole, symmetrize_input=False))


def _diagonal(d):
    return d[..., None] * jnp.eye(d.shape[-1], dtype=d.dtype)


@composite(
    function=(), op="eigh_with_vectors", primitive="Eigh(compute_eigenvectors=True, lower=True)(A)"
)
def eigh_of_class(A, compute_eigenvectors=True, lower=True) -> Array | Arrays:
    """As `scipy.linalg.eigh`: (values, vectors), or only the values.

    >>> values, vectors = ops.Eigh()(Tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> values.asnumpy()
    array([2., 3.], dtype=float32)
    """
    values, vectors = eigh_with_vectors(A, lower)
    return (values, vectors) if compute_eigenvectors else values


@op(tensor=True, function="cholesky_inverse(input_x: input, upper=False)",
    primitive="CholeskyInverse(upper=False)(input_x: input)")  # fmt: skip
def cholesky_inverse(input: Array, upper=False):
    r"""$(L L^\top)^{-1}$ of a triangle L, or $(U^\top U)^{-1}$ where `upper`.

    >>> ops.cholesky_inverse(Tensor([[2.0, 0.0], [0.0, 1.0]])).asnumpy()
    array([[0.25, 0.  ],
           [0.  , 1.  ]], dtype=float32)
    """
    a = square(input, "input_x")
    eye = jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return linalg.cho_solve((a, not upper), eye)


@op(tensor=True, primitive="CholeskySolve(upper=False)(x1: input, x2: input2)")
def cholesky_solve(input: Array, input2: Array, upper=False):
    r"""X with $L L^\top X = input$, `input2` being the triangle L (`upper`: $L^\top$).

    >>> ops.cholesky_solve(Tensor([[8.0]]), Tensor([[2.0]])).asnumpy()
    array([[2.]], dtype=float32)
    """
    b, a = matrix(input), square(input2, "input2")
    return linalg.cho_solve((a, not upper), b)


@op(function=(), name="lu")
def lu_with_pivots(input: Array):
    """Return L and U in one matrix, the pivots (Int32: the row swapped with i), the permutation."""
    lu, pivots, permutation = jax.lax.linalg.lu(matrix(input))
    return lu, pivots, permutation


@op(
    tensor="lu_solve(b, LU_data, LU_pivots)",
    name="lu_solve",
    primitive="LuSolve()(x: b, lu_data: LU_data, lu_pivots: LU_pivots)",
    bounds=lambda b, LU_data, LU_pivots: [
        Range(LU_pivots, LU_data.shape[-1] + 1, low=1, span="the-rows")
    ],
)
def lu_solve(b: Array, LU_data: Array, LU_pivots: Array):
    """Solve A X = b for X, given A's triangles in one matrix `(*, n, n)` and its pivots `(*, n)`,
    which count from 1.

    >>> lu, pivots = Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([1, 2], ms.int32)
    >>> ops.lu_solve(Tensor([[2.0], [8.0]]), lu, pivots).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    lu = square(LU_data, "LU_data")
    require_integers(LU_pivots=LU_pivots)

    def solve(lu, pivots, b):
        return linalg.lu_solve((lu, pivots.astype(jnp.int32) - 1), b)

    for _ in range(lu.ndim - 2):
        solve = jax.vmap(solve)
    return solve(lu, LU_pivots, matrix(b, "b"))


@op(
    function=(), name="LuUnpack",
    bounds=lambda LU_data, LU_pivots: [
        Range(LU_pivots, LU_data.shape[-2] + 1, low=1, span="the-rows")
    ],
)  # fmt: skip
def lu_factors(LU_data: Array, LU_pivots: Array) -> Arrays:
    """(P, L, U) with A = P L U; see `lu_unpack`."""
    least = min(LU_data.shape[-2:]) if LU_data.ndim >= 2 else -1
    fits = LU_pivots.shape == (*LU_data.shape[:-2], least)
    require(fits, "m-n-lu-pivots-k", LU_data=LU_data.shape, pivots=LU_pivots.shape)
    require_integers(LU_pivots=LU_pivots)
    rows, dtype = LU_data.shape[-2], LU_data.dtype
    lower = jnp.tril(LU_data, -1)[..., :least] + jnp.eye(rows, least, dtype=dtype)
    upper = jnp.triu(LU_data)[..., :least, :]
    order = jax.lax.linalg.lu_pivots_to_permutation(LU_pivots.astype(jnp.int32) - 1, rows)
    return jnp.swapaxes(jax.nn.one_hot(order, rows, dtype=dtype), -1, -2), lower, upper


@composite(
    primitive="LuUnpack(unpack_data=True, unpack_pivots=True)(LU_data, LU_pivots)", op="lu_factors"
)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True) -> tuple:
    """Return (P, L, U) with A = P L U, given A's triangles in one matrix `(*, m, n)` and its pivots
    `(*, k)`, k = min(m, n), which count from 1: `(*, m, m)`, `(*, m, k)`, `(*, k, n)`.

    Without `unpack_data` L and U are None, without `unpack_pivots` P is None.

    >>> p, l, u = ops.lu_unpack(Tensor([[2.0, 1.0], [0.5, 3.0]]), Tensor([2, 2], ms.int32))
    >>> (p @ l @ u).asnumpy()
    array([[1. , 3.5],
           [2. , 1. ]], dtype=float32)
    """
    permutation, lower, upper = lu_factors(LU_data, LU_pivots)
    data = (lower, upper) if unpack_data else (None, None)
    return permutation if unpack_pivots else None, *data


@op(
    function="matrix_solve(matrix: a, rhs: b, adjoint=False)",
    primitive="MatrixSolve(adjoint=False)(matrix: a, rhs: b)",
)
def matrix_solve(a: Array, b: Array, adjoint=False):
    """Solve A X = b for each matrix `(*, n, n)` and `(*, n, k)`; `adjoint`: with A's adjoint.

    >>> ops.matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [8.0]])).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    a = square(a, "matrix")
    return jnp.linalg.solve(_adjoint(a) if adjoint else a, matrix(b, "rhs"))


@op(
    function=(),
    primitive="MatrixTriangularSolve(lower=True, adjoint=False)(matrix: a, rhs: b)",
)
def matrix_triangular_solve(
    a: Array, b: Array, lower=True, adjoint=False, transposed=False, unit=False
):
    """Solve A X = b for a triangular A, its adjoint or its transpose.

    `unit`: assumes that the diagonal is ones.

    >>> a, b = Tensor([[2.0, 0.0], [1.0, 4.0]]), Tensor([[2.0], [9.0]])
    >>> ops.MatrixTriangularSolve()(a, b).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    require_shapes(matrix=(a, "* n n"), rhs=(b, "* n k" if b.ndim == a.ndim else "* n"))
    a, b = square(a, "matrix"), floating(b)
    turned = jax.lax.linalg.triangular_solve
    flat = b.ndim == a.ndim - 1
    result = turned(
        a, b[..., None] if flat else b, left_side=True, lower=lower,
        transpose_a=adjoint or transposed, conjugate_a=adjoint, unit_diagonal=unit,
    )  # fmt: skip
    return result[..., 0] if flat else result


@composite(mint=True, tensor=True, function=())
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False) -> Arrays:
    """Return (X, A) with A X = b for a triangular A `(*, n, n)`; `transpose`: with its transpose.

    >>> mint.triangular_solve(Tensor([[4.0]]), Tensor([[2.0]]))[0].asnumpy()
    array([[2.]], dtype=float32)
    """
    return matrix_triangular_solve(A, b, not upper, False, transpose, unitriangular), A


@op(function="lstsq(input: a, A: b)", tensor="lstsq(a, A: b)", name="lstsq")
def lstsq(a: Array, b: Array):
    r"""The X that minimizes $\|A X - B\|$, where A is `input`, `(m, n)`, and B is MindSpore's
    argument `A`, `(m, k)` or `(m,)`; the minimum-norm solution if there are several.

    >>> ops.lstsq(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [8.0]])).asnumpy().round(4)
    array([[1.],
           [2.]], dtype=float32)
    """
    a, b = matrix(a), floating(b)
    require_shapes(input=(a, "m n"), A=(b, "m k | m"))
    b = b[:, None] if b.ndim == 1 else b
    return jnp.linalg.pinv(a) @ b


@composite(function=(), op="lstsq", primitive="Lstsq(fast=True, l2_regularizer=0.0)(x, a)")
def lstsq_of_class(x, a, fast=True, l2_regularizer=0.0):
    r"""The Y that minimizes $\|x Y - a\|^2 + l \|Y\|^2$, l being `l2_regularizer`; see `lstsq`.

    `fast`: ignored; it is always computed from singular values, the most stable way.

    >>> ops.Lstsq()(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [8.0]])).asnumpy().round(4)
    array([[1.],
           [2.]], dtype=float32)
    """
    fits = isinstance(l2_regularizer, (int, float)) and l2_regularizer >= 0
    require(fits, "at-least", "Lstsq", l2_regularizer=l2_regularizer, n=0)
    if l2_regularizer:
        columns = x.shape[1]
        a = a.reshape(a.shape[0], -1)
        x = concat((x, eye(columns, columns, x.dtype) * l2_regularizer**0.5))
        a = concat((a, zeros((columns, a.shape[1]), a.dtype)))
    return lstsq(x, a)


@op(function="pinv(x: input, *, atol=None, rtol=None, hermitian=False)", name="pinv")
def pinv(input: Array, atol=None, rtol=None, hermitian=False):
    r"""Moore-Penrose inverse $V \Sigma^{+} U^H$ of each matrix `(*, m, n)`: `(*, n, m)`.

    Singular values of at most `rtol` times the largest one, or `atol`, are treated as 0; by default
    `rtol` is max(m, n) times the dtype's epsilon. `hermitian`: ignored.

    >>> ops.pinv(Tensor([[2.0], [0.0]])).asnumpy()
    array([[0.5, 0. ]], dtype=float32)
    """
    a = matrix(input, "x")
    if rtol is None and atol is None:
        rtol = max(a.shape[-2:]) * float(jnp.finfo(a.dtype).eps)
    u, s, v = jnp.linalg.svd(a, full_matrices=False)
    least = jnp.maximum((rtol or 0) * s[..., :1], atol or 0)
    kept = s > least
    inverse = jnp.where(kept, 1 / jnp.where(kept, s, 1), 0)
    return _adjoint(v) @ (inverse[..., None] * _adjoint(u))


@op(primitive="MatrixExp()(input)")
def matrix_exp(input: Array):
    r"""$e^A = \sum_k A^k / k!$ of each matrix.

    >>> ops.matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])).asnumpy()
    array([[1., 1.],
           [0., 1.]], dtype=float32)
    """
    return linalg.expm(square(input))


@op(tensor=True, primitive="MatrixPower(n)(x: input)")
def matrix_power(input: Array, n):
    """$A^n$ of each matrix; a negative `n` uses the inverse.

    >>> ops.matrix_power(Tensor([[2.0, 0.0], [0.0, 3.0]]), 2).asnumpy()
    array([[4., 0.],
           [0., 9.]], dtype=float32)
    """
    kinds.INT(None, n=n)
    square(input)
    return jnp.linalg.matrix_power(floating(input) if n < 0 else input, n)


_LOGDET = ("slogdet(input)", "log_matrix_determinant(input)")


@op(function=_LOGDET, tensor=_LOGDET, primitive="LogMatrixDeterminant()(input)", name="slogdet")
def slogdet(input: Array) -> Arrays:
    """The sign of each matrix' determinant, and the logarithm of its modulus.

    >>> ops.slogdet(Tensor([[2.0, 0.0], [0.0, -0.5]]))[0].asnumpy()
    array(-1., dtype=float32)
    """
    return tuple(jnp.linalg.slogdet(square(input)))


@op(tensor=True)
def logdet(input: Array):
    """The logarithm of each matrix' determinant: NaN if it is negative, -inf if it is 0.

    Complex for complex matrices.

    >>> round(ops.logdet(Tensor([[2.0, 1.0], [1.0, 2.0]])).item(), 4)
    1.0986
    """
    sign, logarithm = jnp.linalg.slogdet(square(input))
    return jnp.log(sign) + logarithm


@op(function="geqrf(input)", tensor=True, primitive="Geqrf()(input)", differentiable=False)
def geqrf(input: Array) -> Arrays:
    """R in the upper triangle, below the diagonal the Householder reflections whose product is Q,
    and their factors: LAPACK's format.

    >>> ops.geqrf(Tensor([[1.0, 2.0], [0.0, 3.0]]))[0].shape
    (2, 2)
    """
    reflections, factors = jnp.linalg.qr(matrix(input), "raw")
    return jnp.swapaxes(reflections, -1, -2), factors


@op(function="orgqr(input, input2)", tensor=True, primitive="Orgqr()(x: input, tau: input2)",
    differentiable=False)  # fmt: skip
def orgqr(input: Array, input2: Array):
    """The first columns of Q from `geqrf`'s reflections and factors `input2`: `(*, m, n)`.

    >>> ops.orgqr(*ops.geqrf(Tensor([[3.0], [4.0]]))).asnumpy().round(4)
    array([[-0.6],
           [-0.8]], dtype=float32)
    """
    return jax.lax.linalg.householder_product(matrix(input), floating(input2))


@op(
    name="Ormqr", primitive="Ormqr(left=True, transpose=False)(x: input, tau, other)",
    tensor="ormqr(input, input2: tau, input3: other, left=True, transpose=False)",
)  # fmt: skip
def ormqr(input: Array, tau: Array, other: Array, left=True, transpose=False):
    r"""$Q C$, or without `left` $C Q$, where C is `other` `(*, m, n)` and Q, square, is the product
    of Householder reflections in `geqrf`'s format: `input` `(*, mn, k)`, below the diagonal, and
    their factors `tau` `(*, min(mn, k))`. `transpose`: uses Q's (conjugate) transpose.

    >>> reflections = ops.geqrf(Tensor([[3.0], [4.0]]))
    >>> ops.ormqr(*reflections, Tensor([[3.0], [4.0]]), transpose=True).asnumpy().round(4) + 0.0
    array([[-5.],
           [ 0.]], dtype=float32)
    """
    x, tau, other = matrix(input), floating(tau), matrix(other, "other")
    count = min(x.shape[-2:])
    shape = (*x.shape[:-2], count)
    require(tau.shape == shape, "shape-shape-size", tau=tau.shape, shape=shape)
    require_shapes(input=(x, "* m n"), other=(other, "* m k" if left else "* k m"))
    vectors = jnp.tril(x, -1)[..., :count] + jnp.eye(x.shape[-2], count, dtype=x.dtype)
    transpose = transpose != (not left)  # C Q is the adjoint of Q^H C^H
    factors = jnp.conj(tau) if transpose else tau

    def reflect(c, reflection):
        v, factor = reflection
        along = jnp.einsum("...m,...mn->...n", jnp.conj(v), c)
        return c - factor[..., None, None] * v[..., :, None] * along[..., None, :], None

    reflections = jnp.moveaxis(vectors, -1, 0), jnp.moveaxis(factors, -1, 0)
    result = other if left else _adjoint(other)
    result, _ = jax.lax.scan(reflect, result, reflections, reverse=not transpose)
    return result if left else _adjoint(result)


@jax.custom_vjp
def _logarithm(a):
    """SciPy's `logm` of each matrix, on the host."""

    import scipy.linalg  # importing it takes 0.1 s

    def compute(matrices):
        flat = np.asarray(matrices).reshape(-1, *matrices.shape[-2:])
        logarithms = [scipy.linalg.logm(m) for m in flat]
        return np.reshape(logarithms, matrices.shape).astype(matrices.dtype)

    return jax.pure_callback(compute, a, a)


def _logarithm_pullback(a, ct):
    """The transpose of the derivative at A is the derivative at A's transpose, which is a block of
    the logarithm of a matrix of twice the size (Higham, 2008)."""
    n, turned = a.shape[-1], jnp.swapaxes(a, -1, -2)
    upper = jnp.concatenate([turned, ct], -1)
    lower = jnp.concatenate([jnp.zeros_like(a), turned], -1)
    return (_logarithm(jnp.concatenate([upper, lower], -2))[..., :n, n:],)


_logarithm.defvjp(lambda a: (_logarithm(a), a), _logarithm_pullback)


@op(primitive="MatrixLogarithm()(x)", function=())
def matrix_logarithm(x: Array):
    r"""The principal logarithm of each complex matrix `(*, M, M)`: $e^y = x$, where the eigenvalues
    of y have imaginary parts in $(-\pi, \pi]$.

    >>> x = Tensor(np.array([[1, 1], [0, 1]], np.complex64))
    >>> ops.MatrixLogarithm()(x).asnumpy().real
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    require(jnp.iscomplexobj(x), "complex64-complex128", x=x.dtype)
    return _logarithm(square(x, "x"))


@op(primitive="MatrixSolveLs(fast=True)(matrix, rhs, l2_regularizer)", function=())
def matrix_solve_ls(matrix: Array, rhs: Array, l2_regularizer: Array, fast=True):
    r"""The X that minimizes $\|A X - B\|^2 + \lambda \|X\|^2$, where A is `matrix` `(*, M, N)`, B
    is `rhs` `(*, M, K)` and $\lambda$ `l2_regularizer`; with `fast` from the normal equations.

    Without `fast`: the minimum-norm X that minimizes $\|A X - B\|$, ignoring $\lambda$.

    >>> a, b = Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [8.0]])
    >>> ops.MatrixSolveLs()(a, b, Tensor(0.0, sporax.float64)).asnumpy().round(4)
    array([[1.],
           [2.]], dtype=float32)
    """
    require_shapes(matrix=(matrix, "* M N"), rhs=(rhs, "* M K"))
    a, b = floating(matrix), floating(rhs)
    if not fast:
        return jnp.linalg.pinv(a) @ b
    is_tall = a.shape[-2] >= a.shape[-1]
    least = l2_regularizer.astype(jnp.finfo(a.dtype).dtype) * jnp.eye(min(a.shape[-2:]))
    if is_tall:
        return jnp.linalg.solve(_adjoint(a) @ a + least.astype(a.dtype), _adjoint(a) @ b)
    return _adjoint(a) @ jnp.linalg.solve(a @ _adjoint(a) + least.astype(a.dtype), b)
