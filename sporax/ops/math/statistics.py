"""Variances, norms and cumulative sums along axes."""

import jax
import jax.numpy as jnp

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import MINT, Array, Arrays, attach, composite, op, overloaded
from sporax.ops.math.arithmetic import floating, magnitude
from sporax.ops.math.reduction import _cast, axes, mean
from sporax.ops.shape.zero_dimensional import of_any_rank


def _spread(name, formula, shown, compute):
    def function(input: Array, axis=None, ddof=0, keepdims=False):
        is_whole = not jnp.issubdtype(input.dtype, jnp.inexact)
        x = input.astype(jnp.float64) if is_whole else input  # represents all 32-bit integers
        result = compute(x, axes(axis), ddof=int(ddof), keepdims=keepdims)
        return result.astype(jnp.float32) if is_whole else result

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""{formula} along `axis`: an int, a tuple of ints, or None for all.

    `ddof`: subtracted from the number of elements $n$ in the divisor.

    >>> ops.{name}(Tensor([1.0, 3.0])).asnumpy()
    array({shown}, dtype=float32)
    """
    return op(
        tensor=(
            f"{name}(input, axis=None, ddof=0, keepdims=False)",
            f"{name}(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)",
        ),
        mint=f"{name}(input, dim: axis=None, *, correction: ddof=1, keepdim: keepdims=False)",
        numpy=f"{name}(x: input, axis=None, ddof=0, keepdims=False)",
    )(of_any_rank(function))


def _deviation(x, axis, ddof, keepdims):
    """Return the root of the variance, with a zero gradient where all elements are equal."""
    return safe_root(jnp.var(x, axis, ddof=ddof, keepdims=keepdims))


def safe_root(square):
    zero = square == 0
    return jnp.where(zero, 0, jnp.sqrt(jnp.where(zero, 1, square)))


var = _spread("var", r"Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$", "1.", jnp.var)
std = _spread("std", "Standard deviation, the square root of `var`,", "1.", _deviation)


@composite()
def var_mean(input, axis=None, ddof=0, keepdims=False) -> Arrays:
    """Return the variance and the mean; see `var`.

    >>> [t.asnumpy().tolist() for t in ops.var_mean(Tensor([1.0, 3.0]), ddof=0)]
    [1.0, 2.0]
    """
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


@composite(primitive="ReduceStd(axis=(), unbiased=True, keep_dims=False)(x)", function=())
def reduce_std(x, axis=(), unbiased=True, keep_dims=False) -> Arrays:
    """Return the standard deviation and the mean along `axis`: an int, several, or () for all.

    `unbiased`: the divisor is one less than the number of elements.

    >>> [t.asnumpy().tolist() for t in ops.ReduceStd()(Tensor([1.0, 2.0, 3.0]))]
    [1.0, 2.0]
    """
    axis = None if axis == () else axis
    return std(x, axis, int(unbiased), keep_dims), mean(x, axis, keep_dims)


@op(primitive="SquareSumAll()(x, y)", function=())
def square_sum_all(x: Array, y: Array) -> Arrays:
    """The sums of the squares of `x` and of `y`, which have the same shape and dtype.

    >>> [t.item() for t in ops.SquareSumAll()(Tensor([1.0, 2.0]), Tensor([0.0, 3.0]))]
    [5.0, 9.0]
    """
    require(
        x.dtype == y.dtype, "operands-tensors-one-dtype", error=TypeError, got=[x.dtype, y.dtype]
    )
    given = {"y": [y.dtype, y.shape], "other": "x", "own": [x.dtype, x.shape]}
    require(x.shape == y.shape, "shape-dtype-of", **given)
    return jnp.sum(x * x), jnp.sum(y * y)


@composite()
def std_mean(input, axis=None, ddof=0, keepdims=False) -> Arrays:
    """Return the standard deviation and the mean; see `std`.

    >>> [t.asnumpy().round(4).tolist() for t in ops.std_mean(Tensor([1.0, 3.0]), ddof=0)]
    [1.0, 2.0]
    """
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def _unbiased(spread, name):
    def function(input, dim=None, *, correction=1, keepdim=False):
        return spread(input, dim, correction, keepdim), mean(input, dim, keepdim)

    function.__name__, function.__doc__ = name, spread.__doc__
    MINT[name] = function


_unbiased(var, "var_mean")
_unbiased(std, "std_mean")


def _root(x, axis, keepdims):
    """Return the Euclidean norm, with a zero gradient at zero."""
    return safe_root(jnp.sum(jnp.real(x * jnp.conj(x)), axis, keepdims=keepdims))


def _length(x, p, axis, keepdims):
    """Return the p-norm of vectors, with zero gradients where elements, or all, are zero."""
    size = magnitude(x)
    if p == 1:
        return jnp.sum(size, axis, keepdims=keepdims)
    if p in (jnp.inf, -jnp.inf):
        return (jnp.max if p > 0 else jnp.min)(size, axis, keepdims=keepdims)
    total = jnp.sum(size**p, axis, keepdims=keepdims)
    zero = total == 0
    return jnp.where(zero, 0, jnp.where(zero, 1, total) ** (1 / p))


@op(
    tensor="norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    mint="linalg.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None)",
    numpy="norm(x: A, ord=None, axis: dim=None, keepdims: keepdim=False)",
)
@of_any_rank
def norm(A: Array, ord=None, dim=None, keepdim=False, *, dtype=None):
    r"""A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints).

    `ord` None: the root of the sum of squares, of all elements if `dim` is None. Vectors: any
    number $p$, $(\sum_i |x_i|^p)^{1/p}$, also `inf`, `-inf` and 0. Matrices: 'fro', 'nuc', 1, -1,
    2, -2, `inf`, `-inf`.

    >>> ops.norm(Tensor([3.0, 4.0])).asnumpy()
    array(5., dtype=float32)
    """
    x = floating(A) if dtype is None else A.astype(dtypes.to_numpy(dtype))
    dim = axes(dim)
    matrix = len(dim) == 2 if isinstance(dim, tuple) else dim is None and x.ndim == 2
    if ord is None or (ord == "fro" and matrix) or (ord == 2 and not matrix):
        return _root(x, dim, keepdim)
    if isinstance(dim, tuple) and len(dim) == 1:
        dim = dim[0]
    if matrix and ord in ("nuc", 2, -2) and x.dtype.itemsize == 2:
        x = x.astype(jnp.float32)  # singular values are not computed in 16 bits
    if matrix or ord == 0 or isinstance(ord, str) or (dim is None and x.ndim != 1):
        return jnp.linalg.norm(x, ord, dim, keepdim)
    return _length(x, ord, dim, keepdim)


@composite(mint="norm", function=())
def vector_norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    r"""$(\sum_i |x_i|^p)^{1/p}$ over `dim`, or over all elements if None; 'fro' is 2.

    >>> mint.norm(Tensor([3.0, 4.0])).asnumpy()
    array(5., dtype=float32)
    """
    if p in ("fro", 2, 2.0):
        return norm(input, None, dim, keepdim, dtype=dtype)
    if dim is None:
        flat = norm(input.reshape((-1,)), p, 0, False, dtype=dtype)
        return flat.reshape((1,) * input.ndim) if keepdim else flat
    return norm(input, p, dim, keepdim, dtype=dtype)


@composite(
    function="vector_norm(x: input, ord=2, axis: dim=None, keepdims: keepdim=False, *, dtype=None)",
    mint="linalg.vector_norm(x: input, ord=2, dim=None, keepdim=False, *, dtype=None)",
    name="vector_norm",
)  # fmt: skip
def norm_of_vectors(input, ord=2, dim=None, keepdim=False, *, dtype=None):
    r"""$(\sum_i |x_i|^p)^{1/p}$ with p = `ord` over `dim`: an int, several, or None for all.

    >>> mint.linalg.vector_norm(Tensor([[3.0], [4.0]])).asnumpy()
    array(5., dtype=float32)
    """
    if dim is None or isinstance(dim, int):
        return vector_norm(input, ord, dim, keepdim, dtype=dtype)
    axes = sorted(d % input.ndim for d in dim)
    others = [i for i in range(input.ndim) if i not in axes]
    flat = input.permute(*others, *axes).reshape(*[input.shape[i] for i in others], -1)
    result = vector_norm(flat, ord, -1, False, dtype=dtype)
    kept = [1 if i in axes else n for i, n in enumerate(input.shape)]
    return result.reshape(kept) if keepdim else result


@composite(
    function="matrix_norm(A, ord='fro', axis: dim=(-2, -1), keepdims: keepdim=False, *, "
    "dtype=None)",
    mint="linalg.matrix_norm(A, ord='fro', dim=(-2, -1), keepdim=False, *, dtype=None)",
    name="matrix_norm",
)
def norm_of_matrices(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    r"""A norm of the matrices in two dimensions: 'fro' $\sqrt{\sum_{ij} |a_{ij}|^2}$, 'nuc' the sum
    of the singular values, 2 and -2 the largest and smallest singular value, 1 and -1 the largest
    and smallest column sum of $|a_{ij}|$, `inf` and `-inf` the largest and smallest row sum.

    >>> mint.linalg.matrix_norm(Tensor([[3.0, 0.0], [0.0, 4.0]])).asnumpy()
    array(5., dtype=float32)
    """
    is_pair = isinstance(dim, tuple) and len(dim) == 2
    require(is_pair, "pair-ints-shape-axis", "matrix_norm", dim=dim)
    _MATRIX_NORM("matrix_norm", ord=ord)
    return norm(A, ord, dim, keepdim, dtype=dtype)


_MATRIX_NORM = kinds.one_of("fro", "nuc", float("inf"), -float("inf"), 1, -1, 2, -2)


@composite(primitive="NuclearNorm(dim=None, keepdim=False)(x)", function=())
def nuclear_norm(x, dim=None, keepdim=False):
    """The sum of the singular values of each matrix in the two axes `dim`; None: of the matrix `x`.

    >>> ops.NuclearNorm()(Tensor([[3.0, 0.0], [0.0, 4.0]])).asnumpy()
    array(7., dtype=float32)
    """
    is_pair = x.ndim == 2 if dim is None else len(dim) == 2
    require(is_pair, "two-axes", "NuclearNorm", dim=dim, ndim=x.ndim)
    return norm(x, "nuc", (0, 1) if dim is None else tuple(dim), keepdim)


@op(
    tensor=(
        "logsumexp(input, dim, keepdim=False)",
        "logsumexp(input, axis: dim, keepdims: keepdim=False)",
    ),
    mint=True,
)  # fmt: skip
@of_any_rank
def logsumexp(input: Array, dim, keepdim=False):
    r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow.

    >>> ops.logsumexp(Tensor([[1000.0, 900.0]]), 1).asnumpy()
    array([1000.], dtype=float32)
    """
    return jax.scipy.special.logsumexp(floating(input), axes(dim), keepdims=keepdim)


@op(
    tensor=(
        "count_nonzero(input: x, dim: axis=None)",
        "count_nonzero(input: x, axis=(), keep_dims=False, dtype=int32)",
    ),
    mint="count_nonzero(input: x, dim: axis=None)",
    numpy="count_nonzero(x, axis=None, keepdims: keep_dims=False)",
    primitive="CountNonZero(dims: axis=None)(x)", name="count_nonzero",
    differentiable=False,
)  # fmt: skip
@of_any_rank
def count_nonzero(x: Array, axis=(), keep_dims=False, dtype=dtypes.int32):
    """Count the nonzero elements along `axis` (`()`: all).

    >>> ops.count_nonzero(Tensor([[0.0, 2.0], [3.0, 4.0]]), 1).asnumpy()
    array([1, 2], dtype=int32)
    """
    result = jnp.count_nonzero(x, axes(axis), keepdims=keep_dims)
    return result.astype(dtypes.to_numpy(dtype))


# running along an axis ----------------------------------------------------------------------


@op(
    function="cumsum(x, axis, dtype=None)",
    primitive="CumSum(exclusive=False, reverse=False)(input: x, axis)",
    mint="cumsum(input: x, dim: axis, dtype=None)",
)
@of_any_rank
def cumsum(x: Array, axis, dtype=None, exclusive=False, reverse=False):
    r"""$y_i = \sum_{j \leq i} x_j$ along `axis`.

    The class also takes `exclusive` ($j < i$) and `reverse` (from the end).

    >>> ops.cumsum(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
    array([1., 3., 6.], dtype=float32)
    """
    x = x.astype(jnp.int64) if x.dtype == bool and dtype is None else _cast(x, dtype)
    x = jnp.flip(x, axis) if reverse else x
    total = jnp.cumsum(x, axis, x.dtype)
    if exclusive:  # shifted by one; `total - x` would round differently
        ends = [(1, -1, 0) if i == axis % x.ndim else (0, 0, 0) for i in range(x.ndim)]
        total = jax.lax.pad(total, jnp.zeros((), x.dtype), ends)
    return jnp.flip(total, axis) if reverse else total


_NARROW = (dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.uint8)


def _method_cumsum(input, axis=None, dtype=None):
    """Cumulative sums along `axis`, or of all elements; small integers are summed in Int32.

    >>> Tensor([1.0, 2.0, 3.0]).cumsum(0).asnumpy()
    array([1., 3., 6.], dtype=float32)
    """
    if dtype is None and input.dtype in _NARROW:
        dtype = dtypes.int32
    return cumsum(input.reshape((-1,)), 0, dtype) if axis is None else cumsum(input, axis, dtype)


def _method_cumsum_dim(input, dim, *, dtype=None):
    return _method_cumsum(input, dim, dtype)


attach("cumsum", overloaded("Tensor.cumsum", [_method_cumsum, _method_cumsum_dim]))


@op(
    function="cumprod(input, dim, dtype=None)", tensor="cumprod(input, dim, dtype=None)",
    mint="cumprod(input, dim, dtype=None)",
)  # fmt: skip
@of_any_rank
def cumprod(input: Array, dim, dtype=None, exclusive=False, reverse=False):
    r"""$y_i = \prod_{j \leq i} x_j$ along `dim`; integers are multiplied in Int64.

    `ops.CumProd` takes `exclusive` ($j < i$) and `reverse` (from the end), and keeps the dtype.

    >>> ops.cumprod(Tensor([1.0, 2.0, 3.0]), 0).asnumpy()
    array([1., 2., 6.], dtype=float32)
    """
    whole = not jnp.issubdtype(input.dtype, jnp.inexact)
    wanted = jnp.int64 if whole and dtype is None else dtypes.to_numpy(dtype or input.dtype)
    x = jnp.moveaxis(input.astype(wanted), dim, 0)
    x = jnp.flip(x, 0) if reverse else x
    x = jnp.concatenate([jnp.ones_like(x[:1]), x[:-1]]) if exclusive and len(x) else x
    product = jnp.cumprod(x, 0, wanted)
    return jnp.moveaxis(jnp.flip(product, 0) if reverse else product, 0, dim)


_products = cumprod.declaration.face()


@composite(function=(), op="cumprod", primitive="CumProd(exclusive=False, reverse=False)(x, axis)")
def cumprod_of_class(x, axis, exclusive=False, reverse=False):
    """`cumprod` in the dtype of `x`; `exclusive`: of the elements before, `reverse`: from the end.

    >>> ops.CumProd(exclusive=True)(Tensor([2.0, 3.0, 4.0]), 0).asnumpy()
    array([1., 2., 6.], dtype=float32)
    """
    return _products(x, axis, x.dtype, exclusive, reverse)


@composite(function=(), op="norm", primitive="EuclideanNorm(keep_dims=False)(x, axes)")
def euclidean_norm(x, axes, keep_dims=False):
    r"""$\sqrt{\sum_i |x_i|^2}$ over `axes`, a Tensor of ints, in the dtype of `x`.

    >>> ops.EuclideanNorm()(Tensor([[3.0, 4.0]]), Tensor([1])).asnumpy()
    array([5.], dtype=float32)
    """
    dims = axes.tolist() if isinstance(axes, Tensor) else axes
    dims = tuple(dims) if isinstance(dims, (list, tuple)) else (dims,)
    return norm_of_vectors(x, 2, dims, keep_dims).astype(x.dtype)


def _is_nan(x):
    return x != x  # also of integers


def _running(name, word, better, primitive, index, mint):
    def function(input: Array, axis) -> Arrays:
        positions = jnp.broadcast_to(
            jnp.expand_dims(
                jnp.arange(input.shape[axis], dtype=index),
                [i for i in range(input.ndim) if i != axis % input.ndim],
            ),
            input.shape,
        )

        def later(a, b):
            keep = better(a[0], b[0]) | (_is_nan(a[0]) & ~_is_nan(b[0]))  # NaN stays, as in NumPy
            return jnp.where(keep, a[0], b[0]), jnp.where(keep, a[1], b[1])

        return jax.lax.associative_scan(later, (input, positions), axis=axis % input.ndim)

    function.__name__, function.__module__ = name, __name__
    kind = dtypes.from_numpy(index)
    function.__doc__ = f"""The {word} element so far along `axis`, and its index ({kind}).

    >>> ops.{name}(Tensor([2.0, 2.0]), 0)[0].asnumpy()
    array([2., 2.], dtype=float32)
    """
    face = f"{primitive}(axis)(input)"
    return op(tensor=True, primitive=face, mint=mint)(of_any_rank(function))


cummax = _running("cummax", "largest", jnp.greater, "Cummax", jnp.int64, "cummax(input, dim: axis)")
cummin = _running("cummin", "smallest", jnp.less, "Cummin", jnp.int32, None)


@composite(mint="cummin(input, dim)", function=())
def _cummin_in_int64(input, dim) -> Arrays:
    """The cumulative minimum along `dim`, and its index (Int64).

    >>> mint.cummin(Tensor([2.0, 1.0]), 0)[1].asnumpy()
    array([0, 1])
    """
    values, index = cummin(input, dim)
    return values, index.astype(dtypes.int64)


@op(
    function=("addn(x: tensors)", "accumulate_n(x: tensors)"),
    primitive=("AddN()(x: tensors)", "AccumulateNV2()(x: tensors)"),
)
def addn(tensors: Arrays):
    """The sum of Tensors of one shape: a tuple or list of them.

    >>> ops.addn((Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))).asnumpy()
    array([6.], dtype=float32)
    """
    total, *others = tensors
    for x in others:
        total = total + x
    return total
