"""Products of vectors and matrices."""

import functools
import string

import jax.numpy as jnp

from sporax._src.core.dtype import to_numpy
from sporax._src.core.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.declare import OPS, Array, Arrays, attach, composite, op
from sporax.ops.math.arithmetic import add, at_least_single, floating, is_one, scaled_sum

product = functools.partial(op, promotes=True)


def _no_numbers(input, other):
    are_tensors, given = not input.weak and not other.weak, [describe(input), describe(other)]
    require(are_tensors, "both-operands-tensors", "MatMul", got=given)


def _multiply(a, b):
    """Multiply matrices over the last two dimensions, with earlier ones broadcast together."""
    require(a.ndim != 0 and b.ndim != 0, "both-operands-dimension-numbers")
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows:
        axis = message("second-last-one" if b.ndim > 1 else "only-one")
        raise rejection("last-axis-first-operand", size=a.shape[-1], axis=axis, rows=rows)
    if a.ndim > 2 and b.ndim == 2:
        # as one matrix: its gradient is then one product too, several times faster
        flat = jnp.reshape(a, (-1, a.shape[-1]))
        return jnp.reshape(jnp.matmul(flat, b), (*a.shape[:-1], b.shape[-1]))
    return jnp.matmul(a, b)


@product(
    name="MatMul", tensor=("matmul(input, tensor2: other)", "matmul(input, other)"), mint=True,
    numpy="matmul(x1: input, x2: other, dtype=None)", check=_no_numbers,
)  # fmt: skip
def matmul(input: Array, other: Array):
    r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`.

    Earlier dimensions are broadcast together; a vector counts as a row on the left and as a column
    on the right.

    >>> ops.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    return _multiply(input, other)


@product(
    primitive=(
        "MatMul(transpose_a=False, transpose_b=False)(input, mat2: other)",
        "BatchMatMul(transpose_a=False, transpose_b=False)(x: input, y: other)",
    ),
)
def matmul_transposed(input: Array, other: Array, transpose_a=False, transpose_b=False):
    """`matmul` with the last two dimensions of either operand swapped first.

    >>> ops.MatMul(transpose_b=True)(ops.ones((2, 3)), ops.ones((4, 3))).shape
    (2, 4)
    """
    a = jnp.swapaxes(input, -1, -2) if transpose_a else input
    return _multiply(a, jnp.swapaxes(other, -1, -2) if transpose_b else other)


_matmul = matmul.declaration.bind(())


def _left(self, other):
    """`a @ b`"""
    return apply(_matmul, self, other)


def _right(self, other):
    """`a @ b`"""
    return apply(_matmul, other, self)


attach("__matmul__", _left)
attach("__rmatmul__", _right)


def _fixed(a, b, *ndims):
    require((a.ndim, b.ndim) == ndims, "operands-dimensions-order-matmul", wanted=ndims)
    return _multiply(a, b)


@product(tensor=True, mint=True, check=_no_numbers)
def mm(input: Array, mat2: Array):
    """`matmul` of two matrices.

    >>> ops.mm(ops.ones((2, 3)), ops.ones((3, 4))).shape
    (2, 4)
    """
    return _fixed(input, mat2, 2, 2)


@product(
    function="bmm(input_x: input, mat2)", tensor="bmm(input, mat2)", mint="bmm(input, mat2)"
)  # fmt: skip
def bmm(input: Array, mat2: Array):
    """`matmul` of two batches of matrices, with the same axes before the last two.

    >>> ops.bmm(ops.ones((5, 2, 3)), ops.ones((5, 3, 4))).shape
    (5, 2, 4)
    """
    fits = min(input.ndim, mat2.ndim) >= 2 and input.shape[:-2] == mat2.shape[:-2]
    require(fits, "operands-same-axes-before")
    return _multiply(input, mat2)


@product(mint="mv(input: mat, vec)")
def mv(mat: Array, vec: Array):
    """`matmul` of a matrix and a vector.

    >>> ops.mv(ops.ones((2, 3)), ops.ones((3,))).shape
    (2,)
    """
    return _fixed(mat, vec, 2, 1)


@product(tensor=True, mint=True, numpy="dot(a: input, b: other)")
def dot(input: Array, other: Array):
    r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one.

    >>> ops.dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    return _multiply(input, other) if input.ndim < 3 > other.ndim else jnp.dot(input, other)


@product(tensor=True, numpy="inner(a: input, b: other)")
def inner(input: Array, other: Array):
    r"""$\sum_k a_{\ldots k} b_{\ldots k}$: the product over both last axes.

    >>> ops.inner(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
    array(11., dtype=float32)
    """
    return jnp.inner(input, other)


@product(
    function=("outer(input, vec2: other)", "ger(input, vec2: other)"),
    primitive="Ger()(x1: input, x2: other)",
    tensor=("outer(input, vec2: other)", "ger(input, vec2: other)"),
    mint="outer(input, vec2: other)",
    numpy="outer(a: input, b: other)",
)
def outer(input: Array, other: Array):
    """$a_i b_j$ of two vectors.

    >>> ops.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
    array([[3., 4.],
           [6., 8.]], dtype=float32)
    """
    return jnp.outer(input, other)


def _scaled(input, product_, beta, alpha):
    """$beta \\cdot input + alpha \\cdot product$, skipping factors of 1."""
    if is_one(beta) and is_one(alpha):
        return add(input, product_)
    return scaled_sum(input, product_, beta, alpha)


@composite(tensor=True, mint=True)
def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ for matrices.

    >>> ops.addmm(Tensor([[1.0]]), Tensor([[2.0]]), Tensor([[3.0]])).asnumpy()
    array([[7.]], dtype=float32)
    """
    return _scaled(input, mm(mat1, mat2), beta, alpha)


@composite(tensor=True, mint=True)
def addmv(input, mat, vec, *, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \cdot mat \, vec$ for a matrix and a vector.

    >>> matrix, vector = Tensor([[1.0, 0.0], [0.0, 2.0]]), Tensor([3.0, 4.0])
    >>> ops.addmv(Tensor([1.0, 1.0]), matrix, vector).asnumpy()
    array([4., 9.], dtype=float32)
    """
    return _scaled(input, mv(mat, vec), beta, alpha)


@composite(tensor=True, mint=True)
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch.

    >>> ops.baddbmm(ops.ones((1, 2, 2)), ops.ones((1, 2, 3)), ops.ones((1, 3, 2))).asnumpy()
    array([[[4., 4.],
            [4., 4.]]], dtype=float32)
    """
    return _scaled(input, bmm(batch1, batch2), beta, alpha)


@composite(tensor=True, mint=True)
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    r"""$\beta \cdot input + \alpha \sum_b batch1_b \, batch2_b$.

    >>> ops.addbmm(ops.ones((2, 2)), ops.ones((3, 2, 1)), ops.ones((3, 1, 2))).asnumpy()
    array([[4., 4.],
           [4., 4.]], dtype=float32)
    """
    return _scaled(input, bmm(batch1, batch2).sum(0), beta, alpha)


@composite(tensor=True)
def addr(x, vec1, vec2, *, beta=1, alpha=1):
    r"""$\beta \cdot x + \alpha \cdot vec1 \, vec2^\top$ for vectors.

    >>> ops.addr(Tensor([[1.0, 1.0]]), Tensor([2.0]), Tensor([3.0, 4.0])).asnumpy()
    array([[7., 9.]], dtype=float32)
    """
    return _scaled(x, outer(vec1, vec2), beta, alpha)


@product(primitive="Einsum(equation)(inputs: operands)", name="Einsum")
def contraction(operands: Arrays, equation=""):
    """Einstein's summation; `einsum` calls it.

    >>> ops.Einsum("ij,j->i")((Tensor([[1.0, 2.0]]), Tensor([3.0, 4.0]))).asnumpy()
    array([11.], dtype=float32)
    """
    return jnp.einsum(equation, *operands)


# JAX chooses the order of several products by the sizes
OPS["contraction"].is_polymorphic = False


def _equation(terms):
    """Convert (operand, its axes, ..., the axes of the result) to an equation and operands."""

    def letters(axes):
        return "".join(["..." if a is Ellipsis else string.ascii_letters[a] for a in axes])

    equation = ",".join([letters(axes) for axes in terms[1::2]])
    if len(terms) % 2:
        return f"{equation}->{letters(terms[-1])}", terms[:-1:2]
    return equation, terms[::2]


@composite(mint=True)
def einsum(equation, *operands):
    """Einstein summation: products summed over the letters missing on the right of `->`.

    Instead of an equation, each operand may be followed by a list of its axes, as ints from 0 to 51
    or `...`; a last list without an operand is the result's.

    >>> ops.einsum("ij,kj->ik", ops.ones((2, 3)), ops.ones((4, 3))).shape
    (2, 4)
    """
    if isinstance(equation, Tensor):
        equation, operands = _equation((equation, *operands))
    elif len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    return contraction(operands, equation)


@product(numpy="tensordot(a: x1, b: x2, axes=2)")
def tensor_dot(x1: Array, x2: Array, axes):
    """Products summed over axes of both: the last and first `axes` (an int), or the given ones.

    >>> ops.tensor_dot(ops.ones((2, 3)), ops.ones((4, 3)), ((1,), (1,))).shape
    (2, 4)
    """
    return jnp.tensordot(x1, x2, axes)


@op(
    primitive="Trace()(input)", mint="trace(input)", function="trace(input)",
    tensor="trace(input, offset=0, axis1=0, axis2=1, dtype=None)",
)  # fmt: skip
def trace(input: Array, offset=0, axis1=0, axis2=1, dtype=None):
    """The sum of a matrix's diagonal; the method takes an `offset` above the main one, and the
    planes of `axis1` and `axis2`.

    >>> ops.trace(Tensor([[1, 2], [3, 4]])).asnumpy()
    array(5)
    """
    wanted = input.dtype if dtype is None else to_numpy(dtype)
    return jnp.trace(input, offset, axis1, axis2).astype(wanted)


@op(
    function="inverse(input)", tensor="inverse(input)",
    mint=("inverse(input)", "linalg.inv(input)", "linalg.inv(A: input)"),
    primitive="MatrixInverse(adjoint=False)(x: input)",
)  # fmt: skip
def inverse(input: Array, adjoint=False):
    """The inverse of each matrix in the last two dimensions.

    >>> ops.inverse(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
    """
    result = jnp.linalg.inv(at_least_single(input)).astype(floating(input).dtype)
    return jnp.conj(jnp.swapaxes(result, -1, -2)) if adjoint else result


@op(
    function=("det(input)", "matrix_determinant(input)"),
    tensor=("det(input)", "matrix_determinant(input)"),
    primitive="MatrixDeterminant()(x: input)", name="det",
)  # fmt: skip
def det(input: Array):
    """The determinant of each matrix in the last two dimensions.

    >>> ops.det(Tensor([[2.0, 0.0], [0.0, 4.0]])).asnumpy()
    array(8., dtype=float32)
    """
    return jnp.linalg.det(at_least_single(input)).astype(floating(input).dtype)


@op(
    function="cholesky(input_x: input, upper=False)", tensor="cholesky(input, upper=False)",
    primitive="Cholesky(upper=False)(input_x: input)",
)  # fmt: skip
def cholesky(input: Array, upper=False):
    """The triangle $L$ with $L L^T = input$, a positive definite matrix (`upper`: $L^T$).

    >>> ops.cholesky(Tensor([[4.0, 0.0], [0.0, 9.0]])).asnumpy()
    array([[2., 0.],
           [0., 3.]], dtype=float32)
    """
    return jnp.linalg.cholesky(at_least_single(input), upper=upper).astype(floating(input).dtype)


@product(
    function="cross(input, other, dim=None)", tensor="cross(input, other, dim=None)",
    mint="cross(input, other, dim=None)",
)  # fmt: skip
def cross(input: Array, other: Array, dim=None):
    """The cross product of vectors of three elements along `dim` (None: the first of size 3).

    >>> ops.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
    array([0., 0., 1.], dtype=float32)
    """
    if dim is None:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
    fits = dim is not None and input.shape[dim] == 3 and other.shape[dim] == 3
    require(fits, "both-operands-size-3")
    return jnp.cross(input, other, axis=dim)


@composite(function=(), op="cross", primitive="Cross(dim=-65530)(input, other)")
def cross_of_class(input, other, dim=-65530):
    """`cross`, where -65530 stands for the first axis of size 3.

    >>> ops.Cross()(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0])).asnumpy()
    array([0., 0., 1.], dtype=float32)
    """
    return cross(input, other, None if dim == -65530 else dim)


@op()
def cond(A: Array, p=None):
    r"""The condition number $\|A\| \|A^{-1}\|$ of matrices `(*, n, n)`.

    `p`: the norm: None or 2 (the largest singular value), -2, 1, -1, inf, -inf, 'fro' or 'nuc'.

    >>> ops.cond(Tensor([[2.0, 0.0], [0.0, 0.5]])).asnumpy()
    array(4., dtype=float32)
    """
    return jnp.linalg.cond(at_least_single(A), p).astype(floating(A).dtype)
