"""Creation of arrays: from data, filled, ranges, random numbers, windows."""

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.diagnosis.sizes import check_size
from sporax.numpy.faces import Array, Arrays, array_of, array_op, composite, dtype_of
from sporax.ops.shape.creation import is_size

_FLOAT = dtypes.float32
_FLOATING = (dtypes.float16, dtypes.float32, dtypes.float64)


def shape_of(name, shape):
    """Convert an int, or a tuple or list of ints, to a tuple of sizes."""
    sizes = (shape,) if is_size(shape) else shape
    are_sizes = isinstance(sizes, (tuple, list)) and all(is_size(n) for n in sizes)
    require(are_sizes, "must-be-type", f"numpy.{name}", shape=shape, kind="int-or-ints")
    require(all(n >= 0 for n in sizes), "at-least", f"numpy.{name}", shape=shape, n=0)
    return tuple(sizes)


def _whole(name, **arguments):
    for argument, value in arguments.items():
        require(
            isinstance(value, int),
            "must-be-type",
            f"numpy.{name}",
            argument=argument,
            got=value,
            kind="an-int",
        )


# from data ----------------------------------------------------------------------------------


@composite(numpy=True)
def asarray(a, dtype=None):
    """Convert `a` to a Tensor: Tensors unchanged, numbers and lists as Int32, Float32 or Bool.

    >>> asarray([1, 2]).dtype
    mindspore.int32
    """
    tensor, wanted = array_of(a), None if dtype is None else dtype_of(dtype)
    return tensor if wanted in (None, tensor.dtype) else tensor.astype(wanted)


@composite(numpy=True)
def array(obj, dtype=None, copy=True, ndmin=0):
    """As `asarray`, but copies unless `copy` is False; prepends dimensions up to `ndmin`.

    >>> array([1.0, 2.0], ndmin=2).shape
    (1, 2)
    """
    tensor = asarray(array_of(obj, "array", "obj"), dtype)
    if ndmin > tensor.ndim:
        tensor = tensor.reshape((1,) * (ndmin - tensor.ndim) + tensor.shape)
    return tensor.copy() if copy and tensor is obj else tensor


@composite(numpy="copy(a)")
def copy_of(a: Array):
    """A copy of `a`.

    >>> copy_of([1, 2]).asnumpy()
    array([1, 2], dtype=int32)
    """
    return array_of(a).copy()


@composite(numpy=True)
def asfarray(a, dtype=_FLOAT):
    """As `asarray`, in a floating dtype: Float32 if `dtype` is not floating (None: unchanged).

    >>> asfarray([1, 2]).dtype
    mindspore.float32
    """
    if dtype is None:
        return asarray(a)
    wanted = dtype_of(dtype)
    return asarray(a, wanted if wanted in _FLOATING else _FLOAT)


# filled -------------------------------------------------------------------------------------


@composite(numpy=True)
def zeros(shape, dtype=_FLOAT):
    """Zeros in `shape`, an int or a tuple of ints.

    >>> zeros(2).asnumpy()
    array([0., 0.], dtype=float32)
    """
    return ops.zeros(shape_of("zeros", shape), dtype_of(dtype))


@composite(numpy=True)
def ones(shape, dtype=_FLOAT):
    """Ones in `shape`, an int or a tuple of ints.

    >>> ones(2).asnumpy()
    array([1., 1.], dtype=float32)
    """
    return ops.ones(shape_of("ones", shape), dtype_of(dtype))


@composite(numpy=True)
def empty(shape, dtype=_FLOAT):
    """An array of `shape` with unspecified elements; currently zeros.

    >>> empty((2, 3)).shape
    (2, 3)
    """
    return ops.zeros(shape_of("empty", shape), dtype_of(dtype))


@composite(numpy=True)
def full(shape, fill_value, dtype=None):
    """`fill_value` (a number, list or Tensor) broadcast to `shape`, in its dtype or `dtype`.

    >>> full((2, 2), [1, 2]).asnumpy()
    array([[1, 2],
           [1, 2]], dtype=int32)
    """
    value = asarray(array_of(fill_value, "full", "fill_value"), dtype)
    return ops.broadcast_to(value, shape_of("full", shape))


def _like(name, fill):
    def function(a, dtype, shape):
        a = array_of(a, name)
        sizes = a.shape if shape is None or shape == () or shape == [] else shape
        return full(sizes, fill, a.dtype if dtype is None else dtype)

    return function


_zeros_like, _ones_like = _like("zeros_like", 0), _like("ones_like", 1)


@composite(numpy=True)
def zeros_like(a, dtype=None, shape=None):
    """Zeros in the shape and dtype of `a`, unless others are given.

    >>> zeros_like([1.0, 2.0]).asnumpy()
    array([0., 0.], dtype=float32)
    """
    return _zeros_like(a, dtype, shape)


@composite(numpy=True)
def ones_like(a, dtype=None, shape=None):
    """Ones in the shape and dtype of `a`, unless others are given.

    >>> ones_like([1, 2]).asnumpy()
    array([1, 1], dtype=int32)
    """
    return _ones_like(a, dtype, shape)


@composite(numpy=True)
def empty_like(prototype, dtype=None, shape=None):
    """Zeros in the shape and dtype of `prototype`, unless others are given.

    >>> empty_like([1.0, 2.0]).shape
    (2,)
    """
    return _zeros_like(prototype, dtype, shape)


@composite(numpy=True)
def full_like(a, fill_value, dtype=None, shape=None):
    """`fill_value` in the shape and dtype of `a`, unless others are given.

    >>> full_like([1, 2], 7).asnumpy()
    array([7, 7], dtype=int32)
    """
    return _like("full_like", fill_value)(a, dtype, shape)


@composite(numpy=True)
def identity(n, dtype=_FLOAT):
    """The `n` by `n` matrix with ones on the diagonal.

    >>> identity(2).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    _whole("identity", n=n)
    return ops.eye(n, n, dtype_of(dtype))


@composite(numpy=True)
def tri(N, M=None, k=0, dtype=_FLOAT):
    """Ones at and below the diagonal `k` of an `N` by `M` matrix, zeros above.

    >>> tri(2).asnumpy()
    array([[1., 0.],
           [1., 1.]], dtype=float32)
    """
    return ops.tril(ops.ones((N, N if M is None else M), dtype_of(dtype)), k)


# ranges -------------------------------------------------------------------------------------


def _number(argument, x) -> Any:
    x = x.item() if isinstance(x, (Tensor, np.generic)) and x.ndim == 0 else x
    is_number = isinstance(x, (int, float, type(None)))
    require(is_number, "must-be-type", "numpy.arange", argument=argument, got=x, kind="a-number")
    return x


@composite(numpy=True)
def arange(start, stop=None, step=None, dtype=None):
    """The numbers from `start` to `stop`, exclusive, with step `step`; `arange(n)` starts at 0.

    Int32 if all arguments are ints, else Float32, unless `dtype` is given.

    >>> arange(1, 7, 2).asnumpy()
    array([1, 3, 5], dtype=int32)
    """
    start, stop, step = map(_number, ("start", "stop", "step"), (start, stop, step))
    bounds = [x for x in (start, stop, step) if x is not None]
    if dtype is None:
        dtype = dtypes.int32 if all(isinstance(x, int) for x in bounds) else _FLOAT
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    require(step != 0, "nonzero", "numpy.arange", step=step)
    count = max(math.ceil((stop - start) / step), 0)
    check_size("numpy.arange", (count,), np.dtype(np.int64), ["'start'", "'stop'", "'step'"])
    return Tensor(np.arange(start, stop, step).astype(dtypes.to_numpy(dtype_of(dtype))))


def _spaced(name, compute):
    def function(start: Array, stop: Array, num=50, endpoint=True, axis=0):
        ends = [x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.float32)
                for x in (start, stop)]  # fmt: skip
        return compute(*ends, num, endpoint, axis)

    function.__doc__ = f"See `numpy.{name}`."
    function.__module__ = __name__
    return array_op(name, public=False, promotes=True)(function)


def _check_spaced(name, num, endpoint):
    _whole(name, num=num)
    require(num >= 0, "at-least", f"numpy.{name}", num=num, n=0)
    kinds.BOOL(f"numpy.{name}", endpoint=endpoint)


_linear = _spaced(
    "linspace", lambda a, b, num, endpoint, axis: jnp.linspace(a, b, num, endpoint, axis=axis)
)
_geometric = _spaced(
    "geomspace", lambda a, b, num, endpoint, axis: jnp.geomspace(a, b, num, endpoint, axis=axis)
)


@composite(numpy=True)
def linspace(
    start: Array, stop: Array, num=50, endpoint=True, retstep=False, dtype=None, axis=0
) -> Array | Arrays:  # fmt: skip
    """`num` evenly spaced numbers from `start` to `stop`; with `retstep` also the step.

    `endpoint`: if True, `stop` is the last number. `axis`: the new axis if the ends are arrays.

    >>> linspace(0, 1, 3).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    _check_spaced("linspace", num, endpoint)
    start, stop = array_of(start), array_of(stop)
    result = _linear(start, stop, num, endpoint, axis)
    result = result if dtype is None else result.astype(dtype_of(dtype))
    if not retstep:
        return result
    intervals = num - 1 if endpoint else num
    return result, (stop - start) / intervals if intervals else array_of(math.nan)


@composite(numpy=True)
def logspace(start: Array, stop: Array, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`base` to the power of the numbers of `linspace`.

    >>> logspace(0, 2, 3, base=2).asnumpy()
    array([1., 2., 4.], dtype=float32)
    """
    _check_spaced("logspace", num, endpoint)
    require(
        isinstance(base, (int, float)), "must-be-type", "numpy.logspace", base=base, kind="a-number"
    )
    result = ops.pow(base, _linear(array_of(start), array_of(stop), num, endpoint, axis))
    return result if dtype is None else result.astype(dtype_of(dtype))


@composite(numpy=True)
def geomspace(start: Array, stop: Array, num=50, endpoint=True, dtype=None, axis=0):
    """`num` numbers from `start` to `stop` with a constant ratio (geometric progression).

    >>> geomspace(1, 4, 3).asnumpy().round(3)
    array([1., 2., 4.], dtype=float32)
    """
    _check_spaced("geomspace", num, endpoint)
    result = _geometric(array_of(start), array_of(stop), num, endpoint, axis)
    return result if dtype is None else result.astype(dtype_of(dtype))


# random -------------------------------------------------------------------------------------


def _floating(name, dtype):
    wanted = dtype_of(dtype)
    require(wanted in _FLOATING, "float16-float32-float64", f"numpy.{name}", dtype=dtype)
    return wanted


@composite(numpy=True)
def rand(*shape, dtype=_FLOAT):
    """Uniform random numbers in [0, 1). `shape`: ints, or a tuple of ints; none: shape (1,).

    >>> rand(2, 3).shape
    (2, 3)
    """
    return ops.rand(*shape, dtype=_floating("rand", dtype))


@composite(numpy=True)
def randn(*shape, dtype=_FLOAT):
    """Standard normal random numbers; `shape` as in `rand`.

    >>> randn(2, 3).shape
    (2, 3)
    """
    return ops.randn(*shape, dtype=_floating("randn", dtype))


@composite(numpy=True)
def randint(minval, maxval=None, shape=None, dtype=dtypes.int32):
    """Random integers in [`minval`, `maxval`), or in [0, `minval`) without `maxval`.

    >>> randint(1, 2, (2,)).asnumpy()
    array([1, 1], dtype=int32)
    """
    _whole("randint", minval=minval)
    low, high = (0, minval) if maxval is None else (minval, maxval)
    _whole("randint", maxval=high)
    require(low < high, "greater-than", "numpy.randint", maxval=high, n=low)
    wanted = dtype_of(dtype)
    require(str(wanted).startswith("Int"), "signed-int-s", "numpy.randint", dtype=dtype)
    sizes = (1,) if shape is None else shape_of("randint", shape)
    return ops.randint(low, high, sizes, dtype=dtypes.int64).astype(wanted)


# windows ------------------------------------------------------------------------------------

_WINDOWS = {"bartlett": "1 - |2n / (M - 1) - 1|",
            "blackman": "0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1))",
            "hamming": "0.54 - 0.46 cos(2 pi n / (M - 1))",
            "hanning": "0.5 - 0.5 cos(2 pi n / (M - 1))"}  # fmt: skip


def _window(name, formula):
    def function(M):
        _whole(name, M=M)
        check_size(f"numpy.{name}", (M,), np.dtype(np.float64), "'M'")
        return Tensor(getattr(np, name)(max(M, 0)).astype(np.float32))

    function.__name__, function.__module__ = name, __name__
    function.__doc__ = f"""A window of `M` points, ${formula}$: Float32.

    >>> {name}(3).shape
    (3,)
    """
    return composite(numpy=True)(function)


globals().update({name: _window(name, formula) for name, formula in _WINDOWS.items()})
