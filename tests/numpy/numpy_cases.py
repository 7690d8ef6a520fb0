"""Calls of `mindspore.numpy`, evaluated by MindSpore 2.10, sporax, and NumPy in float64.

A row is an expression over `np` and the arrays below; NumPy evaluates the same, or what stands
behind ` | ` where its names differ. `tools.record numpy` records what MindSpore returns.
"""

import numpy

nan, inf = float("nan"), float("inf")

ARRAYS = {
    "x": numpy.array([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]], numpy.float32),
    "y": numpy.array([[1.5, 0.25, -2.0], [0.5, 2.75, 1.0]], numpy.float32),
    "p": numpy.array([[0.5, 0.25, 0.875], [0.0, 0.75, 0.125]], numpy.float32),
    "v": numpy.array([3.0, 1.0, 4.0, 1.5], numpy.float32),
    "w": numpy.array([1.0, 2.0, 0.5, 3.0], numpy.float32),
    "m": numpy.array([[2.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.5, 0.0, 1.0]], numpy.float32),
    "t": numpy.arange(24, dtype=numpy.float32).reshape(2, 3, 4) / 4,
    "i": numpy.array([[3, -1, 0], [2, 7, -4]], numpy.int32),
    "j": numpy.array([2, 3, -2], numpy.int32),
    "k": numpy.array([4, 6, 9, 12], numpy.int32),
    "c": numpy.array([0, 2, 1, 2], numpy.int32),
    "b": numpy.array([[True, False, True], [False, False, True]]),
    "n": numpy.array([[nan, 1.0, inf], [-inf, nan, -2.0]], numpy.float32),
    "o": numpy.array([1.0, nan, 3.0], numpy.float32),
    "s": numpy.array(1.5, numpy.float32),
    "e": numpy.zeros((0, 3), numpy.float32),
    "h": numpy.array([0.5, -1.5], numpy.float16),
    "d": numpy.array([0.5, -1.5], numpy.float64),
    "u": numpy.array([1, 200], numpy.uint8),
}

_OF_ONE = """
    exp log1p expm1 exp2 sqrt square sin cos tan arctan sinh cosh tanh arcsinh abs absolute fabs
    sign floor ceil trunc rint cbrt reciprocal negative positive deg2rad rad2deg radians isnan
    isfinite isinf isposinf isneginf signbit logical_not"""
_OF_UNIT = "arcsin arccos arctanh log log2 log10 arccosh"
_OF_TWO = """
    add subtract multiply divide true_divide floor_divide power maximum minimum equal not_equal less
    less_equal greater greater_equal logical_and logical_or logical_xor arctan2 hypot logaddexp
    logaddexp2 remainder mod fmod heaviside copysign float_power"""
_REDUCED = "sum mean amax amin max min std var ptp nansum nanmean nanmax nanmin nanstd nanvar"

ROWS = [
    *(f"np.{f}({a})" for f in _OF_ONE.split() for a in ("x", "i", "n", "s", "e")),
    # NumPy 2.5 warns of its fix
    *(f"np.fix({a}) | np.trunc({a})" for a in ("x", "i", "n", "s", "e")),
    *(f"np.{f}({a}, dtype=np.float16)" for f in ("exp", "abs", "floor") for a in ("x", "i")),
    *(f"np.{f}({a})" for f in _OF_UNIT.split() for a in ("p + 1", "p", "o", "k")),
    *(f"np.{f}([0.5, 1.0])" for f in ("exp", "sqrt", "square", "sign", "floor", "isnan")),
    *(f"np.{f}({a})" for f in _OF_TWO.split() for a in ("p, y", "x, s", "i, j", "x, 2.0", "x, i")),
    *(f"np.{f}({a})" for f in ("add", "power", "divide", "maximum")
      for a in ("h, h", "d, 2.0", "1, 2.5")),
    *(f"np.{f}(i, j)" for f in ("bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm")),
    *(f"np.{f}({a})" for f in ("invert", "bitwise_not") for a in ("i", "b", "u")),
    *(f"np.{f}({a})" for f in _REDUCED.split() for a in ("x", "x, 1", "x, axis=(0, -1)", "i", "s",
                                                   "x, axis=0, keepdims=True", "o")),
    *(f"np.{f}(t, axis=-2)" for f in _REDUCED.split()),
]  # fmt: skip

ROWS += [row.strip() for row in """
np.sum(x, axis=1, keepdims=True)
np.sum(i, axis=-1)
np.sum(b)
np.sum(x, initial=2.0)
np.sum(e, axis=0)
np.sum([[1, 2], [3, 4]], axis=0)
np.sum(x, dtype=np.float64)
np.mean(i.astype(np.float32), axis=0)
np.mean(x, dtype=np.float16)
np.amax(x, axis=1, initial=1.0)
np.amax(x, initial=0.0, where=b)
np.amin(x, 1, True, 0.0, b)
np.amax(i, axis=1)
np.std(x, axis=1, ddof=1)
np.var(x, ddof=1, keepdims=True)
np.nanvar(n[:, 1:2], ddof=0)
np.nanmax(o, keepdims=True)
np.nansum(i)
np.average(x)
np.average(x, axis=1)
np.average(x, weights=p)
np.average(v, weights=w)
np.average(x, axis=1, weights=y[0])
np.average(x, axis=0, weights=p, returned=True)
np.count_nonzero(i)
np.count_nonzero(i, axis=1)
np.count_nonzero(x, axis=0, keepdims=True)
np.cumsum(x)
np.cumsum(x, axis=1)
np.cumsum(i, axis=0)
np.cumprod(v)
np.cumprod(x, axis=1)
np.cumprod(i, axis=0)
np.nancumsum(o)
np.argmax(x)
np.argmax(x, axis=1)
np.argmin(x, axis=0)
np.argmin(i)
np.sometrue(b) | np.any(b)
np.sometrue(i, axis=1) | np.any(i, axis=1)
np.clip(x, 0, 1)
np.clip(x, -0.5, 1.5)
np.clip(x, None, 1.0)
np.clip(x, p, 1.0)
np.clip(i, 0, 3)
np.clip(x, xmin=0.0, xmax=1.0) | np.clip(x, 0.0, 1.0)
np.maximum(x, 0.5)
np.maximum(0, x)
np.maximum(o, 2.0)
np.minimum(i, 1)
np.maximum([1, 2], [3.0, 0.0])
np.divmod(i, j)
np.around(x)
np.around(x * 10, 1)
np.isclose(x, x + 1e-6)
np.isclose(o, o, equal_nan=True)
np.isclose(x, y, rtol=1.0, atol=0.5)
np.isclose([1.0, 2.0], [1.0, 2.1])
np.diff(v)
np.diff(x, axis=0)
np.diff(v, n=2)
np.diff(v, prepend=0, append=9)
np.diff(k)
np.ediff1d(v)
np.ediff1d(x, to_end=9, to_begin=[1, 2])
np.trapz(v) | np.trapezoid(v)
np.trapz(v, dx=0.5) | np.trapezoid(v, dx=0.5)
np.trapz(v, x=np.cumsum(w)) | np.trapezoid(v, x=np.cumsum(w))
np.trapz(x, axis=0) | np.trapezoid(x, axis=0)
np.gradient(v)
np.gradient(x)
np.gradient(v, 2.0)
np.gradient(x, axis=1)
np.unwrap(v * 4)
np.interp(w, [1.0, 2.0, 4.0], [10.0, 20.0, 0.0])
np.interp(w, [1.0, 2.0], [10.0, 20.0], left=-1.0, right=5.0)
np.interp(1.5, [1.0, 2.0], [10.0, 20.0])
np.matmul(x, m)
np.matmul(t, v)
np.dot(x, m)
np.dot(v, w)
np.dot(t, np.transpose(t[0]))
np.inner(x, y)
np.inner(v, w)
np.inner(t, v)
np.outer(v, w)
np.outer(x, v)
np.tensordot(x, m, axes=1)
np.tensordot(x, y, axes=((1,), (1,)))
np.tensordot(t, t, axes=([0, 2], [0, 2]))
np.tensordot(x, y)
np.cross(x, y)
np.cross(i, i[::-1])
np.cross(m, m[0], axis=-1)
np.cross(t[:, :, 0], t[:, :, 1], axisa=1, axisb=1, axisc=0)
np.kron(x, m)
np.kron(v, w)
np.trace(m)
np.trace(x, 1)
np.trace(t, 0, 1, 2)
np.trace(i)
np.norm(x) | np.linalg.norm(x)
np.norm(x, axis=1) | np.linalg.norm(x, axis=1)
np.norm(x, axis=-1, keepdims=True) | np.linalg.norm(x, axis=-1, keepdims=True)
np.norm(v, 1) | np.linalg.norm(v, 1)
np.norm(v, 3) | np.linalg.norm(v, 3)
np.norm(v, float("inf")) | np.linalg.norm(v, float("inf"))
np.norm(x, 1) | np.linalg.norm(x, 1)
np.norm(x, "fro") | np.linalg.norm(x, "fro")
np.norm(t) | np.linalg.norm(t)
np.norm(i) | np.linalg.norm(i)
np.multi_dot([x, m, m]) | np.linalg.multi_dot([x, m, m])
np.multi_dot((y[0], m, m[0])) | np.linalg.multi_dot((y[0], m, m[0]))
np.matrix_power(m, 3) | np.linalg.matrix_power(m, 3)
np.matrix_power(m, 0) | np.linalg.matrix_power(m, 0)
np.convolve(v, w)
np.convolve(v, [1.0, 0.5], "same")
np.convolve(v, [1.0, 0.5], mode="valid")
np.correlate(v, w)
np.correlate(v, w[:2], "full")
np.cov(x)
np.cov(x, rowvar=False)
np.cov(v, w)
np.cov(x, bias=True)
np.cov(x, ddof=0)
np.corrcoef(x)
np.corrcoef(v, w)
np.polyadd([1, 2], [9, 5, 4])
np.polyadd(v, w)
np.polysub([2, 10, -2], [3, 10, -4])
np.polymul([3, 1, 2], [1, 5])
np.polyval([3.0, 0.0, 1.0], v)
np.polyval([3, 0, 1], 5)
np.polyder([1, 1, 1, 1])
np.polyder(v, 2)
np.polyint(v)
np.polyint([6.0, 2.0], m=2, k=[1.0, 3.0])
np.vander(v)
np.vander(v, 2)
np.vander(v, 3, True)
np.array([1, 2, 3])
np.array([1.5, 2])
np.array(3)
np.array(2.5)
np.array(True)
np.array([[True], [False]])
np.array([1, 2], dtype=np.float16)
np.array([1.5], dtype="int")
np.array(x, ndmin=3)
np.asarray([1, 2], np.float32)
np.asarray(x)
np.asarray([])
np.copy(x)
np.zeros((2, 3))
np.zeros(2, np.int32)
np.zeros([2], dtype=np.bool_)
np.ones((2,), "float32")
np.ones(shape=(1, 2), dtype=int)
np.full((2, 3), 5)
np.full((2, 3), 2.5)
np.full(2, True)
np.full((2, 2), [1, 2])
np.full((2,), 1, dtype=np.float32)
np.full((2, 4), v)
np.zeros_like(x)
np.ones_like(i)
np.ones_like([1.0, 2.0])
np.zeros_like(x, dtype=np.int32)
np.zeros_like(x, shape=(2,))
np.full_like(x, 7)
np.full_like(i, 2.5, dtype=np.float32)
np.eye(3)
np.eye(2, 3)
np.eye(3, k=1)
np.eye(3, 4, -1, np.int32)
np.eye(2, k=5)
np.identity(3)
np.identity(2, np.int32)
np.tri(3, 4, 1)
np.tri(2)
np.tril(m)
np.tril(m, 1)
np.triu(t, -1)
np.triu(i)
np.tril(v)
np.triu(v, 1)
np.arange(5)
np.arange(5.0)
np.arange(1, 7, 2)
np.arange(0, 1, 0.25)
np.arange(5, dtype=np.float32)
np.arange(start=2, stop=9, step=3)
np.arange(4, 0, -1)
np.arange(3, 1)
np.linspace(0, 1, 5)
np.linspace(0, 10, num=5, endpoint=False)
np.linspace(2.0, 3.0, 3, retstep=True)
np.linspace(v, w, 3)
np.linspace(v, 1.0, 3, axis=1)
np.linspace(0, 10, 3, dtype=np.int32)
np.linspace(1, 2, 1)
np.logspace(0, 2, 3)
np.logspace(0, 3, 4, base=2.0)
np.geomspace(1, 8, 4)
np.geomspace(1.0, 16.0, 4, endpoint=False)
np.meshgrid(v, w[:3])
np.meshgrid(v, w[:3], indexing="ij")
np.meshgrid(v, w[:3], sparse=True)
np.meshgrid(v, w[:3], y[0])
np.mgrid[0:3, 1:3]
np.mgrid[0:1:3j]
np.ogrid[0:3, 1:3]
np.indices((2, 3))[1]
np.ix_(k, c)
np.diag(v)
np.diag(v, 1)
np.diag(m)
np.diag(x, -1)
np.diag(i, 1)
np.diagflat(x, 1)
np.diagonal(m)
np.diagonal(t, 1, 1, 2)
np.diag_indices(3)
np.tril_indices(3)
np.triu_indices(3, 1, 4)
np.tril_indices_from(x)
np.triu_indices_from(m, -1)
np.bartlett(5)
np.blackman(6)
np.hamming(5)
np.hanning(4)
np.hanning(1)
np.pad(x, 1)
np.pad(x, ((0, 1), (2, 0)))
np.pad(v, (1, 2), constant_values=7)
np.pad(v, (1, 2), "edge")
np.pad(v, (2, 1), mode="reflect")
np.pad(v, (2, 1), mode="symmetric")
np.pad(v, (2, 1), mode="wrap")
np.pad(v, (2, 1), mode="linear_ramp", end_values=5)
np.pad(x, 1, mode="maximum")
np.pad(x, 1, mode="mean")
np.reshape(x, (3, 2))
np.reshape(x, -1)
np.reshape(x, (3, -1))
np.ravel(x)
np.expand_dims(x, 0)
np.expand_dims(x, axis=-1)
np.expand_dims(x, (0, 2))
np.squeeze(x[:1])
np.squeeze(x[:1, None], axis=1)
np.transpose(t)
np.transpose(t, (1, 0, 2))
np.swapaxes(t, 0, -1)
np.moveaxis(t, 0, -1)
np.moveaxis(t, (0, 1), (-1, 0))
np.rollaxis(t, 2)
np.rollaxis(t, 0, 3)
np.rollaxis(t, 1, -1)
np.atleast_1d(s)
np.atleast_2d(v)
np.atleast_3d(v)
np.atleast_3d(x)
np.broadcast_to(v, (2, 4))
np.broadcast_to(s, (3,))
np.broadcast_arrays(v, x[:, :1])
np.tile(v, 2)
np.tile(x, (2, 1))
np.tile(v, (2, 1, 2))
np.repeat(x, 2)
np.repeat(x, 2, axis=1)
np.repeat(x, [1, 2], axis=0)
np.flip(x)
np.flip(x, axis=1)
np.flip(i, (0, 1))
np.flipud(x)
np.fliplr(x)
np.rot90(x)
np.rot90(x, 2)
np.rot90(x, -1)
np.rot90(t, 1, (1, 2))
np.roll(v, 1)
np.roll(x, -1, axis=1)
np.roll(x, shift=2)
np.roll(i, (1, 2), axis=(0, 1))
np.concatenate((x, y))
np.concatenate([x, y], axis=-1)
np.concatenate((x, i), axis=1)
np.concatenate((x, v), axis=None)
np.concatenate(t)
np.concatenate((x,), 1)
np.stack((x, y))
np.stack([x, y], axis=-1)
np.stack([v, w], axis=1)
np.append(x, v)
np.append(x, y, axis=0)
np.hstack((v, w))
np.hstack([x, y])
np.vstack((v, w))
np.vstack([x, m])
np.dstack((x, y))
np.dstack((v, w))
np.column_stack((v, w))
np.column_stack((x, y))
np.split(v, 2)
np.split(t, 3, axis=1)
np.split(v, indices_or_sections=(1, 3), axis=0)
np.array_split(v, 3)
np.vsplit(x, 2)
np.hsplit(t, 3)
np.dsplit(t, 2)
np.where(b, x, y)
np.where(b, x, 0)
np.where(i > 0, 1, 0)
np.where(i > 0, 1.5, 2)
np.where(b, b, False)
np.where(i, x, y)
np.where(x > 0, x, s)
np.take(v, c)
np.take(x, c[:2], axis=1)
np.take(v, i, mode="wrap")
np.take(v, k) | np.take(v, k, mode="clip")
np.take_along_axis(x, c[None, :2], axis=1)
np.take_along_axis(x, i[:1] * 0 + 1, 0)
np.take_along_axis(v, c, None)
np.select([b, x > 0], [x, y])
np.select([b, x > 0], [x, y], 9.0)
np.choose(c, [v, w, v + 1])
np.argwhere(b)
np.argwhere(i)
np.size(x)
np.size(x, 1)
np.size([1, 2])
np.unique(c)
np.unique(i, return_inverse=True)
np.unravel_index(c, (2, 3))
np.unravel_index([3, 5], (2, 3), "F")
np.unravel_index(4, (2, 3))
np.ravel_multi_index([[0, 1], [2, 1]], (2, 3))
np.isin(i, [0, 2])
np.isin(i, j, invert=True)
np.in1d(c, [2]) | np.isin(c, [2])
np.in1d(c, 2, invert=True) | np.isin(c, 2, invert=True)
np.setdiff1d(k, [6, 9])
np.intersect1d(k, [9, 4, 5])
np.apply_along_axis(lambda a: a.sum(), 1, x)
np.apply_along_axis(lambda a: a * 2, 0, x)
np.apply_over_axes(np.sum, t, (0, 2))
np.piecewise(v, [v > 3, v < 2], [1.0, 2.0, 3.0])
np.piecewise(v, [v > 3, v < 2], [lambda a: a, lambda a: -a])
np.array_equal(x, x)
np.array_equal(x, y)
np.array_equal(o, o, equal_nan=True)
np.array_equiv(x[:1], x[:1])
np.array_equiv([1, 1], [[1], [1]])
np.searchsorted([1, 2, 4], [0, 2, 5])
np.searchsorted([1, 2, 4], 2, side="right")
np.searchsorted(np.cumsum(w), v)
np.searchsorted([2.0, 1.0], 1.5, sorter=c[:2] * 0 + c[2:0:-1] - 1)
np.digitize(v, [1.0, 2.0, 3.5])
np.digitize(v, [1.0, 2.0, 4.0], right=True)
np.digitize(v, [4.0, 2.0, 1.0])
np.bincount(c)
np.bincount(c, weights=w)
np.bincount(c, minlength=5)
np.histogram_bin_edges(v, 4)
np.histogram_bin_edges(v, 4, (0, 2))
np.histogram(v, 4)
np.histogram(v, bins=[0.0, 2.0, 4.0])
np.histogram(v, 3, (1.0, 4.0), weights=w)
np.histogram(v, 3, density=True)
np.histogram2d(v, w, 2)
np.histogramdd([v, w], 2)
""".strip().splitlines()]  # fmt: skip

# Where MindSpore 2.10 is wrong, and sporax gives what NumPy does. What it has no kernel for on a
# CPU, or takes Tensors only for, is not listed. Row -> what MindSpore does
MINDSPORE_IS_WRONG = {
    "np.exp2(i)": "computes a power of integers, so that 2 to the -1 is 0",
    "np.sign(n)": "NaN for infinities",
    "np.cbrt(i)": "NaN for 0",
    "np.cbrt(n)": "NaN for infinities",
    "np.reciprocal(i)": "divides integers, as NumPy does, with any number for 1 / 0",
    "np.power(i, j)": "any number for 0 to a negative power",
    "np.logaddexp2(x, i)": "computes a power of integers",
    "np.amax(o)": "leaves NaN out",
    "np.max(o)": "leaves NaN out",
    "np.amin(o)": "leaves NaN out",
    "np.min(o)": "leaves NaN out",
    "np.ptp(o)": "leaves NaN out",
    "np.std(i)": "rounds the mean to a whole number",
    "np.var(i)": "rounds the mean to a whole number",
    "np.ravel_multi_index([[0, 1], [2, 1]], (2, 3))": "indices in Float32",
}

# Where MindSpore decides otherwise than NumPy, and sporax follows it; or NumPy has no result.
UNLIKE_NUMPY = {
    "np.mean(i)": "the dtype stays",
    "np.reciprocal(i)": "integers divide to Float32",
    "np.power(i, j)": "NumPy refuses negative powers of integers",
    "np.unique(c)": "in order of first appearance",
    "np.unique(i, return_inverse=True)": "in order of first appearance",
    "np.amin(x, 1, True, 0.0, b)": "NumPy's third parameter is 'out'",
}

# Functions written in terms of other operations; differentiated with respect to `x`, and captured.
DIFFERENTIATED = [row.strip() for row in """
np.max(x, axis=1)
np.amin(x, initial=0.1, where=x > -1)
np.ptp(x, axis=1)
np.average(x, axis=1, weights=y[0])
np.average(x, weights=x ** 2)
np.cumsum(x, 1)
np.cumprod(x)
np.nanmax(x, axis=0)
np.nansum(x, axis=0, keepdims=True)
np.norm(x, axis=1)
np.norm(x, 3, axis=0)
np.clip(x, -1, 1)
np.maximum(x, 0.3)
np.float_power(x ** 2, y)
np.divmod(x + 0.1, y)[1]
np.where(x > 0, x, 2.0)
np.concatenate((x, y, x), 1)
np.stack([x, x * y], -1)
np.hstack((x, y))
np.append(x, x)
np.pad(x, 1, "reflect")
np.tile(x, (2, 1))
np.repeat(x, 2, 1)
np.roll(x, 1, 0)
np.rollaxis(x, 1)
np.split(x, 3, 1)[1]
np.take(x, c, 1)
np.meshgrid(x[0], x[1])[0]
np.expand_dims(x, (0, 2))
np.inner(x, y)
np.multi_dot([x, m, m])
np.gradient(x, axis=1)
np.polyadd(x[0], [1.0, 2.0])
np.polymul(x[0], y[1])
np.polyder(x[0])
np.polyint(x[0], 2, 1.0)
np.vander(x[0], 4)
np.linspace(x, y, 3)
np.logspace(x, y, 3, base=2.0)
np.linspace(x[0, 0], 3.0, 4, retstep=True)[1]
np.full((2, 3), x[0])
np.cov(x)
np.corrcoef(x)
np.select([x > 1, x < 0], [x, x * x], 1.0)
np.choose(i % 2, [x, y])
np.piecewise(x, [x > 1, x < 0], [lambda a: a, lambda a: -a, 5.0])
np.apply_along_axis(lambda a: a * a.sum(), 1, x)
np.apply_over_axes(np.sum, x, (0, 1))
np.array([x[0], x[1] * 2])
np.histogram(y, 3, weights=x)[0]
""".strip().splitlines()]  # fmt: skip
