"""Matrices built from diagonals and blocks, and batched products."""

import itertools

import jax.numpy as jnp
import jax.scipy.linalg as linalg
import numpy as np

from sporax._src.core.dtype import int64
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.linalg.products import matmul
from sporax.ops.operand_checks import require_shapes
from sporax.ops.shape.joining import stack


@op()
def diag_embed(input: Array, offset=0, dim1=-2, dim2=-1):
    """Matrices on new axes with the last axis as a diagonal, `offset` above the main one.

    `dim1`, `dim2`: the positions of the new axes; zeros elsewhere.

    >>> ops.diag_embed(Tensor([1.0, 2.0])).asnumpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    rank = input.ndim + 1
    axes = dim1 % rank, dim2 % rank
    are_two = all(-rank <= d < rank for d in (dim1, dim2)) and axes[0] != axes[1]
    require(are_two, "dim2-two-axes", dim1=dim1, rank=rank, dim2=dim2)
    n = input.shape[-1] + abs(offset)
    index = np.arange(input.shape[-1])
    rows, columns = index + max(-offset, 0), index + max(offset, 0)
    result = jnp.zeros((*input.shape[:-1], n, n), input.dtype).at[..., rows, columns].set(input)
    return jnp.moveaxis(result, (-2, -1), axes)


@composite(tensor=True)
def diagflat(input, offset=0):
    """A matrix with all elements of `input` on the diagonal `offset` above the main one.

    >>> ops.diagflat(Tensor([1.0, 2.0]), 1).shape
    (3, 3)
    """
    return diag_embed(input.reshape((-1,)), offset)


@op(name="block_diag", function=())
def block_diag_of_matrices(inputs: Arrays):
    """Build a block-diagonal matrix, zeros elsewhere; `block_diag` calls it."""
    fits = inputs and all(a.ndim <= 2 for a in inputs)
    require(fits, "tensors-at-most-2-dimensions", argument="inputs")
    return linalg.block_diag(*inputs)


@composite()
def block_diag(*inputs):
    """Build a block-diagonal matrix, zeros elsewhere (vectors are rows, numbers 1 by 1).

    >>> ops.block_diag(Tensor([[1.0, 2.0]]), Tensor([3.0])).asnumpy()
    array([[1., 2., 0.],
           [0., 0., 3.]], dtype=float32)
    """
    return block_diag_of_matrices(inputs)


@op(function="kron(input, other)", promotes=True, name="kron")
def kron(input: Array, other: Array):
    """The Kronecker product: blocks of `other`, each times an element of `input`.

    >>> ops.kron(Tensor([1.0, 2.0]), Tensor([1.0, 10.0])).asnumpy()
    array([ 1., 10.,  2., 20.], dtype=float32)
    """
    result = jnp.kron(*(x.astype(jnp.uint8) if x.dtype == bool else x for x in (input, other)))
    return result.astype(input.dtype)


@op(function="matrix_band_part(x: input, lower, upper)", name="MatrixBandPart")
def matrix_band_part(input: Array, lower: Array, upper: Array):
    """Keep `lower` diagonals below and `upper` above the main one, and set all others to zero.

    A negative number keeps all on that side; both may be 0-d Tensors.

    >>> ops.matrix_band_part(ops.ones((3, 3)), 0, 1).asnumpy()
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 1.]], dtype=float32)
    """
    require_shapes(x=(input, "... M N"))
    rows, columns = np.ogrid[: input.shape[-2], : input.shape[-1]]
    kept = ((rows - columns <= lower) | (lower < 0)) & ((columns - rows <= upper) | (upper < 0))
    return jnp.where(kept, input, jnp.zeros((), input.dtype))


@composite(primitive="MatrixBandPart()(x, lower, upper)", function=())
def matrix_band_part_of_class(x, lower, upper):
    """As `ops.matrix_band_part`.

    >>> ops.MatrixBandPart()(ops.ones((2, 2)), 0, 0).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    return matrix_band_part(x, lower, upper)


@op(tensor="diagonal_scatter(input, src, offset=0, dim1=0, dim2=1)")
def diagonal_scatter(input: Array, src: Array, offset=0, dim1=0, dim2=1):
    """`input` with the diagonal `offset` of the planes of `dim1` and `dim2` replaced by `src`.

    >>> ops.diagonal_scatter(ops.zeros((2, 2)), Tensor([1.0, 2.0])).asnumpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    moved = jnp.moveaxis(input, (dim1, dim2), (-2, -1))
    rows, columns = moved.shape[-2:]
    count = max(0, min(rows - max(-offset, 0), columns - max(offset, 0)))
    shape = (*moved.shape[:-2], count)
    require(src.shape == shape, "shape-shape-size", src=src.shape, shape=shape)
    i = np.arange(count)
    moved = moved.at[..., i + max(-offset, 0), i + max(offset, 0)].set(src.astype(input.dtype))
    return jnp.moveaxis(moved, (-2, -1), (dim1, dim2))


@op(function="vander(x, N=None)", name="vander")
def vander(x: Array, N=None):
    """Vandermonde matrix: `N` columns (by default the length of `x`), powers of `x` down to 0.

    Int64 for integers and Bool.

    >>> ops.vander(Tensor([1.0, 2.0]), 3).asnumpy()
    array([[1., 1., 1.],
           [4., 2., 1.]], dtype=float32)
    """
    return jnp.vander(x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.int64), N)


def _triangle(name, compute, side):
    def function(row, col, offset=0, *, dtype=int64):
        for argument, value in (("row", row), ("col", col), ("offset", offset)):
            require(
                isinstance(value, int),
                "must-be-type",
                name,
                argument=argument,
                got=value,
                kind="an-int",
            )
        offset = min(max(offset, -max(row, 0)), max(col, 0))  # beyond these, all or none
        check_size(name, (max(row, 0), max(col, 0)), np.dtype(bool), ["'row'", "'col'"])
        result = compute(row, offset, col)
        return Tensor(np.stack(result), dtype)

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""Rows and columns of the elements {side} the diagonal `offset`: `(2, n)`.

    >>> ops.{name}(2, 2).asnumpy()
    array({[a.tolist() for a in compute(2, 0, 2)]})
    """.replace("], [", "],\n           [")
    title = name.title().replace("_", "")
    written = f"{title}(row, col, offset=0, dtype=int32)()"
    return composite(mint=name, primitive=written)(function)


tril_indices = _triangle("tril_indices", np.tril_indices, "on and below")
triu_indices = _triangle("triu_indices", np.triu_indices, "on and above")


# products --------------------------------------------------------------------------------------


@op(primitive="TridiagonalMatMul()(superdiag, maindiag, subdiag, rhs)", function=(), promotes=True)
def tridiagonal_matmul(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array):
    """Multiply the matrix with these three diagonals, each `(*, 1, M)`, by `rhs` `(*, M, N)`.

    The last element of `superdiag` and the first of `subdiag` are not used.

    >>> above, main, below = (Tensor([[n, n]]) for n in (1.0, 2.0, 3.0))
    >>> ops.TridiagonalMatMul()(above, main, below, Tensor([[1.0], [10.0]])).asnumpy()
    array([[12.],
           [23.]], dtype=float32)
    """
    diagonals = superdiag, maindiag, subdiag
    size = rhs.shape[-2] if rhs.ndim > 1 else None
    fits = all(d.ndim == rhs.ndim and d.shape[-2:] == (1, size) for d in diagonals)
    require(fits, "diagonals-1-m-rhs")
    above, main, below = (jnp.swapaxes(d, -1, -2) for d in diagonals)
    above, below = above.at[..., -1:, :].set(0), below.at[..., :1, :].set(0)
    around = jnp.pad(rhs, [(0, 0)] * (rhs.ndim - 2) + [(1, 1), (0, 0)])
    return above * around[..., 2:, :] + main * rhs + below * around[..., :-2, :]


@composite()
def batch_dot(x1, x2, axes=None):
    """Contract one axis of each operand, for each element of the first axis, the batch.

    `axes`: an int for both, or two; not 0. By default the last axis of `x1` and the second-last of
    `x2`, or the last if it has only two. For two matrices: `(N, 1)`.

    >>> ops.batch_dot(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]])).asnumpy()
    array([[11.]], dtype=float32)
    """
    a, b = x1.ndim, x2.ndim
    require_shapes("batch_dot", x1=(x1, "B ... m"), x2=(x2, "B ... n"))
    default = (a - 1, b - 1 if b == 2 else b - 2)
    first, second = default if axes is None else (axes, axes) if isinstance(axes, int) else axes
    contracted = first % a, second % b
    fits = 0 not in contracted and -a <= first < a and -b <= second < b
    require(fits, "axes-after-first", "batch_dot", axes=axes)
    fits, shapes = x1.shape[first] == x2.shape[second], [x1.shape, x2.shape]
    require(fits, "axes-one-size", "batch_dot", places=contracted, shapes=shapes)
    left = [i for i in range(1, a) if i != contracted[0]]
    right = [i for i in range(1, b) if i != contracted[1]]
    n, k = x1.shape[0], x1.shape[first]
    y = matmul(
        x1.permute(0, *left, contracted[0]).reshape(n, -1, k),
        x2.permute(0, contracted[1], *right).reshape(n, k, -1),
    )
    sizes = [x1.shape[i] for i in left] + [x2.shape[i] for i in right]
    return y.reshape(n, *(sizes or [1]))


@op(promotes=True, function="vecdot(x, y, *, axis=-1)")
def vecdot(x: Array, y: Array, axis=-1):
    r"""$\sum_i \bar x_i y_i$ along `axis`, broadcast together; integers are summed in Int64.

    >>> ops.vecdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
    array(11., dtype=float32)
    """
    product = jnp.conj(x) * y
    dtype = None if jnp.issubdtype(product.dtype, jnp.inexact) else jnp.int64
    return jnp.sum(product, axis, dtype)


@composite(mint=True, function=())
def vdot(input, other):
    r"""$\sum_i \bar x_i y_i$ of two vectors.

    >>> mint.vdot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])).asnumpy()
    array(11., dtype=float32)
    """
    require_shapes("vdot", input=(input, "n"), other=(other, "m"))
    return vecdot(input, other)


# combinations ----------------------------------------------------------------------------------


def _grid(who, inputs, several=1):
    fits = len(inputs) >= several and all(isinstance(x, Tensor) and x.ndim == 1 for x in inputs)
    require(fits, "inputs-vectors", who)
    sizes = [x.shape[0] for x in inputs]
    index = np.indices(sizes).reshape(len(sizes), -1)
    return stack([x[Tensor(positions)] for x, positions in zip(inputs, index, strict=True)], 1)


@composite()
def cartesian_prod(*inputs):
    """All combinations of an element of each vector, as rows.

    >>> ops.cartesian_prod(Tensor([1, 2]), Tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    return inputs[0] if len(inputs) == 1 else _grid("cartesian_prod", inputs)


@composite()
def combinations(input, r=2, with_replacement=False):
    """All choices of `r` elements of a vector, in its order, as rows.

    >>> ops.combinations(Tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    require_shapes("combinations", input=(input, "n"))
    require(isinstance(r, int) and r >= 0, "int-at-least", "combinations", r=r, n=0)
    kind = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    index = np.array(list(kind(range(input.shape[0]), r)), np.int64).reshape(-1, r)
    return input[Tensor(index)]
