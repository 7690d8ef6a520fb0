"""Arithmetic, differences and products that `ops` does not have."""

import jax
import jax.numpy as jnp
import numpy as np

from sporax import ops
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.numpy.faces import (
    Array,
    Arrays,
    array_of,
    array_op,
    as_tensors,
    cast,
    composite,
)  # fmt: skip
from sporax.numpy.manipulation import axes_of, axis_of, sequence_of
from sporax.ops.declare import OPS, OPTIONAL
from sporax.ops.math.arithmetic import floating, power
from sporax.ops.math.order_statistics import differences

# of one number -----------------------------------------------------------------------------


def _in_floating(names, function):
    def floated(x: Array):
        exact = jnp.issubdtype(x.dtype.default, jnp.inexact)
        return function(x if exact else x.astype(dtypes.float32))

    floated.__name__, floated.__module__ = names[0], __name__
    floated.__doc__ = f"""`ops.{function.__name__}`; integers as Float32.

    >>> {names[0]}(Tensor([3])).tolist() in ([3.0], [1.0])
    True
    """
    faces = [n if n == "fix" else f"{n}(x, dtype=None)" for n in names]
    return composite(numpy=tuple(faces))(floated)


def sign(x):
    """Return -1, 0 or 1, and NaN for NaN, as in NumPy."""
    return ops.where(ops.isnan(x), x, ops.sign(x))


sign = _in_floating(["sign"], sign)
ceil = _in_floating(["ceil"], ops.ceil)
trunc = _in_floating(["trunc", "fix"], ops.trunc)


# of two numbers -----------------------------------------------------------------------------


def _between(name, function):
    def chosen(x1, x2, dtype=None):
        if not isinstance(x1, Tensor) and not isinstance(x2, (Tensor, int, float)):
            x1 = array_of(x1, name, "x1")
        x1, x2 = (x if isinstance(x, (Tensor, int, float)) else array_of(x, name, a)
                  for x, a in ((x1, "x1"), (x2, "x2")))  # fmt: skip
        if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
            x1, x2 = as_tensors(x1, x2)
        return cast(function(x1, x2), dtype)

    chosen.__name__, chosen.__module__ = name, __name__
    chosen.__doc__ = function.__doc__
    return composite(numpy=True)(chosen)


maximum, minimum = _between("maximum", ops.maximum), _between("minimum", ops.minimum)


@composite(numpy=True)
def clip(x, xmin, xmax, dtype=None):
    """Clip elements to [`xmin`, `xmax`]: numbers, Tensors, or None for no bound.

    >>> clip(Tensor([1.0, 5.0, 9.0]), 2, 8).asnumpy()
    array([2., 5., 8.], dtype=float32)
    """
    is_bounded = xmin is not None or xmax is not None
    require(is_bounded, "at-least-one-given", "numpy.clip", other="xmin", other2="xmax")
    x = array_of(x, "clip", "x")
    x = x if xmin is None else maximum(x, xmin)
    return cast(x if xmax is None else minimum(x, xmax), dtype)


@composite(numpy="float_power(x1, x2, dtype=None)")
def float_power(x1: Array, x2: Array):
    """$x_1^{x_2}$, computed in Float32, or in Float64 if either operand is Float64.

    >>> float_power(Tensor([4]), Tensor([2])).asnumpy()
    array([16.], dtype=float32)
    """
    wide = dtypes.float64 if dtypes.float64 in (x1.dtype, x2.dtype) else dtypes.float32
    return power(x1.astype(wide), x2.astype(wide))


@composite(numpy="divmod(x1, x2, dtype=None)")
def divmod_of(x1: Array, x2: Array) -> Arrays:
    """The pair of `floor_divide` and `remainder`.

    >>> [t.tolist() for t in divmod_of(Tensor([7]), Tensor([2]))]
    [[3], [1]]
    """
    return ops.floor_divide(x1, x2), ops.remainder(x1, x2)


_PAIRS = [
    ("heaviside", r"0 where $x_1 < 0$, $x_2$ where it is 0, else 1", "Tensor([-1.0, 0.0]), 0.5",
     "[0.0, 0.5]", True),
    ("gcd", "The greatest common divisor", "Tensor([4, 6]), Tensor([6, 9])", "[2, 3]", False),
    ("lcm", "The least common multiple", "Tensor([4, 6]), Tensor([6, 9])", "[12, 18]", False),
]  # fmt: skip


def _on_zero(x1, x2):
    zero = jnp.zeros((), x2.dtype)
    step = jnp.where(x1 < 0, zero, jnp.where(x1 > 0, zero + 1, x2))
    return jnp.where(x1 == x1, step, x1)  # NaN is kept


def _of_whole(compute):
    """Extend a function of integers to floating operands with integral values."""

    def function(x1, x2):
        if not jnp.issubdtype(x1.dtype, jnp.inexact):
            return compute(x1, x2)
        return compute(x1.astype(jnp.int64), x2.astype(jnp.int64)).astype(x1.dtype)

    return function


def _pair(name, text, example, shown, differentiable):
    compute = _on_zero if name == "heaviside" else _of_whole(getattr(jnp, name))

    def function(x1: Array, x2: Array):
        return compute(x1, x2)

    function.__module__ = __name__
    function.__doc__ = f"""{text}, element by element, broadcast together.

    >>> {name}({example}).tolist()
    {shown}
    """
    written = f"{name}(x1, x2, dtype=None)"
    return array_op(written, promotes=True, differentiable=differentiable)(function)


globals().update({row[0]: _pair(*row) for row in _PAIRS})


@array_op("copysign(x1, x2, dtype=None)")
def copysign(x1: Array, x2: Array):
    """$|x_1|$ with the sign of $x_2$, in the dtype of $x_1$.

    >>> copysign(Tensor([1.0, -2.0]), Tensor([-1, 1])).tolist()
    [-1.0, 2.0]
    """
    require(bool not in (x1.dtype, x2.dtype), "operands-numbers-convert-bool")
    size = x1 * jax.lax.stop_gradient(jnp.sign(x1))
    return jnp.where(jnp.signbit(x2), -size, size)


@array_op("cbrt(x, dtype=None)")
def cbrt(x: Array):
    r"""$\sqrt[3]{x}$, element by element.

    >>> cbrt(Tensor([8.0, -1.0])).tolist()
    [2.0, -1.0]
    """
    return jnp.cbrt(floating(x))


# differences --------------------------------------------------------------------------------


@array_op("diff(a, n=1, axis=-1, prepend=None, append=None)")
def diff(a: Array, n=1, axis=-1, prepend: OPTIONAL = None, append: OPTIONAL = None):
    """The difference of consecutive elements along `axis`, applied `n` times.

    `prepend`, `append`: values added at the ends first.

    >>> diff(Tensor([1, 4, 9])).tolist()
    [3, 5]
    """
    require(isinstance(n, int), "must-be-type", n=n, kind="an-int")
    require(n >= 0, "at-least", argument="n", n=0, got=n)
    ends = [None if e is None else e.astype(a.dtype) for e in (prepend, append)]
    return differences(a, n, axis, *ends)


@array_op("ediff1d(ary, to_end=None, to_begin=None)")
def ediff1d(ary: Array, to_end: OPTIONAL = None, to_begin: OPTIONAL = None):
    """The differences of consecutive elements of the flattened array, between `to_begin` and
    `to_end`.

    >>> ediff1d(Tensor([1, 4, 9]), to_end=0).tolist()
    [3, 5, 0]
    """
    pieces = [jnp.diff(ary.reshape(-1))]
    pieces = pieces if to_begin is None else [to_begin.astype(ary.dtype).reshape(-1), *pieces]
    pieces = pieces if to_end is None else [*pieces, to_end.astype(ary.dtype).reshape(-1)]
    return jnp.concatenate(pieces)


@array_op("gradient_along", public=False)
def gradient_along(f: Array, h: Array, axis):
    """Central differences with spacing `h` along an axis, one-sided at both ends."""
    require(f.shape[axis] >= 2, "axis-at-least-2-elements", axis=axis, shape=f.shape)
    return jnp.gradient(floating(f), axis=axis) / h


@composite(numpy=True)
def gradient(f, *varargs, axis=None, edge_order=1) -> Array | list:
    """Central-difference gradient along each axis (or `axis`): a Tensor, or a list of them.

    `varargs`: the spacing, one number for all axes or one per axis; 1 by default.

    >>> gradient(Tensor([1.0, 2.0, 4.0])).tolist()
    [1.0, 1.5, 2.0]
    """
    require(
        edge_order == 1,
        "must-equal",
        "numpy.gradient",
        edge_order=edge_order,
        value=1,
        error=NotImplementedError,
    )
    f = array_of(f, "gradient", "f")
    axes = axes_of("gradient", axis, f.ndim)
    steps = varargs * len(axes) if len(varargs) == 1 else varargs or (1,) * len(axes)
    n, count = len(varargs), len(axes)
    require(len(steps) == count, "1-distances", "numpy.gradient", varargs=n, count=count)
    shapes = [array_of(h).shape for h in steps]
    require(not any(shapes), "varargs-number-distance-along", "numpy.gradient", shapes=shapes)
    gradients = [gradient_along(f, h, a) for h, a in zip(steps, axes, strict=True)]
    return gradients[0] if len(gradients) == 1 else gradients


@array_op("trapz(y, x=None, dx=1.0, axis=-1)")
def trapz(y: Array, x: OPTIONAL = None, dx: Array = 1.0, axis=-1):
    """The integral of `y` along `axis` by the trapezoidal rule, at points `x` or with spacing `dx`.

    >>> trapz(Tensor([1.0, 2.0, 3.0])).item()
    4.0
    """
    y = floating(y)
    return jnp.trapezoid(y, None if x is None else x.astype(y.dtype), dx, axis).astype(y.dtype)


@array_op("unwrap(p, discont=3.141592653589793, axis=-1)")
def unwrap(p: Array, discont=np.pi, axis=-1):
    r"""Angles with jumps larger than `discont` replaced by their complement to $2 \pi$.

    >>> unwrap(Tensor([0.0, 6.0])).asnumpy().round(2)
    array([ 0.  , -0.28], dtype=float32)
    """
    require(isinstance(discont, (int, float)), "must-be-type", discont=discont, kind="a-number")
    return jnp.unwrap(floating(p), discont, axis)


@array_op("interp(x, xp, fp, left=None, right=None)")
def interp(x: Array, xp: Array, fp: Array, left: OPTIONAL = None, right: OPTIONAL = None):
    """Piecewise linear interpolation of the points `(xp, fp)` at `x`.

    `left`, `right`: values outside the points; by default the end values.

    >>> interp(Tensor([1.5]), [1, 2], [10, 20]).tolist()
    [15.0]
    """
    fits, shape = xp.ndim == 1 and fp.shape == xp.shape, fp.shape
    require(fits, "vectors-one-length", xp=xp.shape, other="fp", shape=shape)
    x, xp, fp = floating(x, xp, fp)
    return jnp.interp(x, xp, fp, left, right)


# products -----------------------------------------------------------------------------------


@array_op("cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)", promotes=True)
def cross(a: Array, b: Array, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product along `axis` (or `axisa` and `axisb`, result at `axisc`), of size 2 or 3.

    >>> cross(Tensor([1, 0, 0]), Tensor([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis,) * 3
    for argument, x, dim in (("axisa", a, axisa), ("axisb", b, axisb)):
        axis_of("cross", dim, x.ndim, argument)
        require(x.shape[dim] in (2, 3), "vectors-2-3-components", shape=x.shape, value=dim)
    a, b = jnp.moveaxis(a, axisa, -1), jnp.moveaxis(b, axisb, -1)
    if a.shape[-1] == b.shape[-1] == 2:
        return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    a, b = (jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, 3 - x.shape[-1])]) for x in (a, b))
    return jnp.cross(a, b, axisc=axisc)


@array_op("kron(a, b)", promotes=True)
def kron(a: Array, b: Array):
    """The Kronecker product: copies of `b`, each multiplied by one element of `a`.

    >>> kron(Tensor([1, 2]), Tensor([1, 1])).tolist()
    [1, 1, 2, 2]
    """
    if a.dtype == b.dtype == bool:
        return jnp.kron(a.astype(jnp.uint8), b.astype(jnp.uint8)) != 0
    return jnp.kron(a, b)


@array_op("chain", public=False)
def _chain(arrays: Arrays):
    """The product of several matrices, for `multi_dot`."""
    return jnp.linalg.multi_dot(arrays)


OPS["numpy_chain"].is_polymorphic = False  # JAX chooses the order from the sizes


@composite(numpy=True)
def multi_dot(arrays):
    """The matrix product of several matrices, in the cheapest order.

    The first and the last may be vectors: a row and a column vector.

    >>> multi_dot([[[1.0, 2.0]], [[1.0], [1.0]], [[3.0]]]).tolist()
    [[9.0]]
    """
    matrices = sequence_of("multi_dot", arrays, "arrays")
    require(len(matrices) >= 2, "hold-at-least-2-tensors", "numpy.multi_dot", arrays=len(matrices))
    return _chain(matrices)


@array_op("matrix_power(a, n)")
def matrix_power(a: Array, n):
    """The `n`-th power of the matrix `a`; for negative `n`, a power of its inverse.

    >>> matrix_power(Tensor([[1, 1], [0, 1]]), 3).tolist()
    [[1, 3], [0, 1]]
    """
    require(isinstance(n, int), "must-be-type", n=n, kind="an-int")
    return jnp.linalg.matrix_power(a if n >= 0 else floating(a), n)


_SLIDING_MODE = kinds.one_of("full", "same", "valid")


def _sliding(compute, a, v, mode):
    _SLIDING_MODE(None, mode=mode)
    a, v = jnp.atleast_1d(a), jnp.atleast_1d(v)
    are_vectors = a.ndim == v.ndim == 1 and a.size and v.size
    require(are_vectors, "v-vectors", argument="a", shape=a.shape, shape2=v.shape)
    if jnp.issubdtype(a.dtype, jnp.inexact):
        return compute(a, v, mode)
    whole = compute(a.astype(jnp.float64), v.astype(jnp.float64), mode)
    return jnp.round(whole).astype(a.dtype)


@array_op("convolve(a, v, mode='full')", promotes=True)
def convolve(a: Array, v: Array, mode="full"):
    r"""$\sum_m a_m v_{n-m}$ of two vectors. `mode`: 'full', 'same' (the larger size) or 'valid'.

    >>> convolve(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).tolist()
    [1.0, 3.0, 2.0]
    """
    return _sliding(jnp.convolve, a, v, mode)


@array_op("correlate(a, v, mode='valid')", promotes=True)
def correlate(a: Array, v: Array, mode="valid"):
    r"""$\sum_n a_{n+k} \bar v_n$ of two vectors; `mode` as in `convolve`.

    >>> correlate(Tensor([1.0, 2.0]), Tensor([1.0, 1.0])).tolist()
    [3.0]
    """
    return _sliding(jnp.correlate, a, v, mode)
