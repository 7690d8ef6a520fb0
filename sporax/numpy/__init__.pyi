"""The operations as NumPy's users call them; written by tools/write_stubs.py."""

from sporax._src.core.dtype import Type as Type
from sporax._src.core.tensor import Tensor as Tensor
from typing import Any
import builtins

NINF: builtins.float
PINF: builtins.float
def abs(x, dtype=None) -> Tensor:
    """$|x|$, element by element."""
def absolute(x, dtype=None) -> Tensor:
    """$|x|$, element by element."""
def add(x1, x2, dtype=None) -> Tensor:
    """$input + other$, broadcast together; on Bool, "or"."""
def amax(a, axis=None, keepdims=False, initial=None, where=True) -> Tensor:
    """The largest element along `axis`: an int, a tuple, or None for all."""
def amin(a, axis=None, keepdims=False, initial=None, where=True) -> Tensor:
    """The smallest element along `axis`: an int, a tuple, or None for all."""
def append(arr, values, axis=None) -> Tensor:
    """Append `values` to `arr` along `axis`; flatten both first if it is None."""
def apply_along_axis(func1d, axis, arr, *args, **kwargs) -> Tensor:
    """Apply `func1d(slice, *args, **kwargs)` to each 1-d slice along `axis`; stack the results."""
def apply_over_axes(func, a, axes) -> Tensor:
    """Apply `func(a, axis=...)` along each of `axes` in turn, keeping dimensions."""
def arange(start, stop=None, step=None, dtype=None) -> Tensor:
    """The numbers from `start` to `stop`, exclusive, with step `step`; `arange(n)` starts at 0."""
def arccos(input, dtype=None) -> Tensor:
    r"""$\arccos x$, element by element."""
def arccosh(x, dtype=None) -> Tensor:
    r"""$\operatorname{arcosh} x$, element by element."""
def arcsin(x, dtype=None) -> Tensor:
    r"""$\arcsin x$, element by element."""
def arcsinh(x, dtype=None) -> Tensor:
    r"""$\operatorname{arsinh} x$, element by element."""
def arctan(x, dtype=None) -> Tensor:
    r"""$\arctan x$, element by element."""
def arctan2(x1, x2, dtype=None) -> Tensor:
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
def arctanh(x, dtype=None) -> Tensor:
    r"""$\operatorname{artanh} x$, element by element."""
def argmax(a, axis=None) -> Tensor:
    """The index of the largest element along `dim`, or among all elements if None: Int64."""
def argmin(a, axis=None) -> Tensor:
    """The index of the smallest element along `axis`, or among all elements if None: Int32."""
def argwhere(a) -> Tensor:
    """Return the indices of all nonzero elements, one row each."""
def around(a, decimals=0) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def array(obj, dtype=None, copy=True, ndmin=0) -> Tensor:
    """As `asarray`, but copies unless `copy` is False; prepends dimensions up to `ndmin`."""
def array_equal(a1, a2, equal_nan=False) -> Tensor:
    """Return a 0-d Bool: True if shapes and elements are equal (`equal_nan`: NaN equals NaN)."""
def array_equiv(a1, a2) -> Tensor:
    """Return a 0-d Bool: True if the arrays broadcast together and their elements are equal."""
def array_split(x, indices_or_sections, axis=0) -> Any:
    """As `split`, but the first pieces may be larger by one."""
def array_str(a) -> builtins.str:
    """Return the string that `print` shows for a Tensor."""
def asarray(a, dtype=None) -> Tensor:
    """Convert `a` to a Tensor: Tensors unchanged, numbers and lists as Int32, Float32 or Bool."""
def asfarray(a, dtype=...) -> Tensor:
    """As `asarray`, in a floating dtype: Float32 if `dtype` is not floating (None: unchanged)."""
def atleast_1d(*arys) -> Any:
    """Return arrays with at least one dimension; a list if there are several."""
def atleast_2d(*arys) -> Any:
    """Return arrays with at least two dimensions, prepending dimensions of size 1."""
def atleast_3d(*arys) -> Any:
    """Return arrays with at least three dimensions; a vector becomes the middle one."""
def average(x, axis=None, weights=None, returned=False) -> Any:
    r"""$\sum_i w_i x_i / \sum_i w_i$ along `axis`, the mean without `weights`."""
def bartlett(M) -> Tensor:
    """A window of `M` points, $1 - |2n / (M - 1) - 1|$: Float32."""
def bincount(x, weights=None, minlength=0, length=None) -> Tensor:
    """Count the occurrences of each number from 0 on (negative ones count as 0), in Float32, or sum their weights."""
def bitwise_and(x1, x2, dtype=None) -> Tensor:
    r"""$input \land other$, element by element, bit by bit, broadcast together."""
def bitwise_not(x, dtype=None) -> Tensor:
    """Flip every bit; on Bool, "not"."""
def bitwise_or(x1, x2, dtype=None) -> Tensor:
    r"""$input \lor other$, element by element, bit by bit, broadcast together."""
def bitwise_xor(x1, x2, dtype=None) -> Tensor:
    r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
def blackman(M) -> Tensor:
    """A window of `M` points, $0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1))$: Float32."""
bool_: Any
def broadcast_arrays(*args) -> builtins.list:
    """Broadcast all arrays to their common shape; return a list."""
def broadcast_to(array, shape) -> Tensor:
    """Broadcast `input` to `shape`; -1 in it keeps the input's size."""
def cbrt(x, dtype=None) -> Tensor:
    r"""$\sqrt[3]{x}$, element by element."""
def ceil(x, dtype=None) -> Tensor:
    """`ops.ceil`; integers as Float32."""
def choose(a, choices, mode='clip') -> Tensor:
    """Return elementwise `choices[i]`, where `i` is the element of `a`; broadcast together."""
def clip(x, xmin, xmax, dtype=None) -> Tensor:
    """Clip elements to [`xmin`, `xmax`]: numbers, Tensors, or None for no bound."""
def column_stack(tup) -> Tensor:
    """Join arrays beside each other, vectors as columns; a Tensor is returned unchanged."""
def concatenate(arrays, axis=0) -> Tensor:
    """Concatenate arrays along `axis`; flatten them first if it is None."""
def convolve(a, v, mode='full') -> Tensor:
    r"""$\sum_m a_m v_{n-m}$ of two vectors. `mode`: 'full', 'same' (the larger size) or 'valid'."""
def copy(a) -> Tensor:
    """A copy of `a`."""
def copysign(x1, x2, dtype=None) -> Tensor:
    """$|x_1|$ with the sign of $x_2$, in the dtype of $x_1$."""
def corrcoef(x, y=None, rowvar=True, dtype=None) -> Tensor:
    """Correlation coefficients: `cov` divided by both standard deviations, clipped to [-1, 1]."""
def correlate(a, v, mode='valid') -> Tensor:
    r"""$\sum_n a_{n+k} \bar v_n$ of two vectors; `mode` as in `convolve`."""
def cos(x, dtype=None) -> Tensor:
    r"""$\cos x$, element by element."""
def cosh(x, dtype=None) -> Tensor:
    r"""$\cosh x$, element by element."""
def count_nonzero(x, axis=None, keepdims=False) -> Tensor:
    """Count the nonzero elements along `axis` (`()`: all)."""
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None) -> Tensor:
    """The covariance matrix of the variables in the rows (`rowvar`) or columns of `m` and `y`."""
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None) -> Tensor:
    """The cross product along `axis` (or `axisa` and `axisb`, result at `axisc`), of size 2 or 3."""
def cumprod(a, axis=None, dtype=None) -> Tensor:
    """Return the cumulative product along `axis`; of the flattened array if `axis` is None."""
def cumsum(a, axis=None, dtype=None) -> Tensor:
    """Return the cumulative sum along `axis`; of the flattened array if `axis` is None."""
def deg2rad(x, dtype=None) -> Tensor:
    r"""$\pi x / 180$, element by element."""
def diag(v, k=0) -> Tensor:
    """The `diagonal` of a matrix, counted upward from the main one; or the matrix with a vector on it and zeros elsewhere."""
def diag_indices(n, ndim=2) -> builtins.tuple[Tensor, ...]:
    """The indices of the main diagonal of `ndim` dimensions of size `n`: a tuple of Int32."""
def diagflat(v, k=0) -> Tensor:
    """The matrix with the flattened `v` on its diagonal `k` and zeros elsewhere."""
def diagonal(a, offset=0, axis1=0, axis2=1) -> Tensor:
    """The diagonal of two dimensions, `offset` above the main one, as the last dimension."""
def diff(a, n=1, axis=-1, prepend=None, append=None) -> Tensor:
    """The difference of consecutive elements along `axis`, applied `n` times."""
def digitize(x, bins, right=False) -> Tensor:
    """Return the Int32 bin index of each element; the edges `bins` increase or decrease."""
def divide(x1, x2, dtype=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def divmod(x1, x2, dtype=None) -> builtins.tuple[Tensor, ...]:
    """The pair of `floor_divide` and `remainder`."""
def dot(a, b) -> Tensor:
    r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one."""
def dsplit(x, indices_or_sections) -> Any:
    """`split` along dimension 2."""
def dstack(tup) -> Tensor:
    """Join arrays along the third dimension; a Tensor is returned unchanged."""
def ediff1d(ary, to_end=None, to_begin=None) -> Tensor:
    """The differences of consecutive elements of the flattened array, between `to_begin` and `to_end`."""
def empty(shape, dtype=...) -> Tensor:
    """An array of `shape` with unspecified elements; currently zeros."""
def empty_like(prototype, dtype=None, shape=None) -> Tensor:
    """Zeros in the shape and dtype of `prototype`, unless others are given."""
def equal(x1, x2, dtype=None) -> Tensor:
    """$input = other$, element by element: Bool, broadcast together."""
def exp(x, dtype=None) -> Tensor:
    """$e^{x}$, element by element."""
def exp2(x, dtype=None) -> Tensor:
    """$2^x$, element by element."""
def expand_dims(a, axis) -> Tensor:
    """Insert dimensions of size 1 at `axis`: an int, or a tuple or list of ints."""
def expm1(x, dtype=None) -> Tensor:
    """$e^x - 1$, element by element."""
def eye(N, M=None, k=0, dtype=...) -> Tensor:
    """An `n` by `m` matrix (`m` is `n` by default) with ones on the diagonal, Float32 by default."""
def fabs(x, dtype=None) -> Tensor:
    """$|x|$, element by element."""
def fix(x) -> Tensor:
    """`ops.trunc`; integers as Float32."""
def flip(m, axis=None) -> Tensor:
    """Reverse the elements along `axis`: an int, a tuple, or None for all."""
def fliplr(m) -> Tensor:
    """`flip` along the second dimension."""
def flipud(m) -> Tensor:
    """`flip` along the first dimension."""
float16: Any
float32: Any
float64: Any
float_: Any
def float_power(x1, x2, dtype=None) -> Tensor:
    """$x_1^{x_2}$, computed in Float32, or in Float64 if either operand is Float64."""
def floor(x, dtype=None) -> Tensor:
    r"""$\lfloor x \rfloor$, element by element."""
def floor_divide(x1, x2, dtype=None) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def fmod(x1, x2, dtype=None) -> Tensor:
    """The remainder of a division truncated toward zero, with the dividend's sign."""
def full(shape, fill_value, dtype=None) -> Tensor:
    """`fill_value` (a number, list or Tensor) broadcast to `shape`, in its dtype or `dtype`."""
def full_like(a, fill_value, dtype=None, shape=None) -> Tensor:
    """`fill_value` in the shape and dtype of `a`, unless others are given."""
def gcd(x1, x2, dtype=None) -> Tensor:
    """The greatest common divisor, element by element, broadcast together."""
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0) -> Tensor:
    """`num` numbers from `start` to `stop` with a constant ratio (geometric progression)."""
def gradient(f, *varargs, axis=None, edge_order=1) -> Any:
    """Central-difference gradient along each axis (or `axis`): a Tensor, or a list of them."""
def greater(x1, x2, dtype=None) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def greater_equal(x1, x2, dtype=None) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def hamming(M) -> Tensor:
    """A window of `M` points, $0.54 - 0.46 cos(2 pi n / (M - 1))$: Float32."""
def hanning(M) -> Tensor:
    """A window of `M` points, $0.5 - 0.5 cos(2 pi n / (M - 1))$: Float32."""
def heaviside(x1, x2, dtype=None) -> Tensor:
    """0 where $x_1 < 0$, $x_2$ where it is 0, else 1, element by element, broadcast together."""
def histogram(a, bins=10, range=None, weights=None, density=False) -> builtins.tuple[Tensor, ...]:
    """Return the pair (count of elements, or sum of their weights, in each bin; bin edges)."""
def histogram2d(x, y, bins=10, range=None, weights=None, density=False) -> builtins.tuple[Tensor, ...]:
    """`histogramdd` of two coordinates: the counts, the edges along `x` and the edges along `y`."""
def histogram_bin_edges(a, bins=10, range=None, weights=None) -> Tensor:
    """Return the edges of `bins` equal bins from the smallest to the largest element, or over `range`."""
def histogramdd(sample, bins=10, range=None, weights=None, density=False) -> builtins.tuple:
    """Count the points (rows of `sample`, or one array per coordinate) in each cell of a grid; return the counts and a list of the edges along each axis."""
def hsplit(x, indices_or_sections) -> Any:
    """`split` along dimension 1."""
def hstack(tup) -> Tensor:
    """Join arrays along the second dimension, vectors along the first; a Tensor is returned unchanged."""
def hypot(x1, x2, dtype=None) -> Tensor:
    r"""$\sqrt{input^2 + other^2}$."""
def identity(n, dtype=...) -> Tensor:
    """The `n` by `n` matrix with ones on the diagonal."""
def in1d(ar1, ar2, invert=False) -> Tensor:
    """`isin` of the flattened `ar1`."""
def indices(dimensions, dtype=..., sparse=False) -> builtins.list:
    """The coordinates of a grid of shape `dimensions`, a list of Tensors."""
inf: builtins.float
def inner(a, b) -> Tensor:
    r"""$\sum_k a_{\ldots k} b_{\ldots k}$: the product over both last axes."""
int16: Any
int32: Any
int64: Any
int8: Any
int_: Any
def interp(x, xp, fp, left=None, right=None) -> Tensor:
    """Piecewise linear interpolation of the points `(xp, fp)` at `x`."""
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False) -> Tensor:
    """Return the distinct elements in both, sorted; with `return_indices` also the Int32 indices of their first occurrences in each."""
def invert(x, dtype=None) -> Tensor:
    """Flip every bit; on Bool, "not"."""
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
def isfinite(x, dtype=None) -> Tensor:
    """True where $x$ is finite, element by element."""
def isin(element, test_elements, invert=False) -> Tensor:
    """Return a Bool for each element: True if it is in `test_elements` (`invert`: if it is not)."""
def isinf(x, dtype=None) -> Tensor:
    """True where $x$ is infinite, element by element."""
def isnan(x, dtype=None) -> Tensor:
    """True where $x$ is NaN, element by element."""
def isneginf(x) -> Tensor:
    r"""True where $x = -\infty$, element by element."""
def isposinf(x) -> Tensor:
    r"""True where $x = \infty$, element by element."""
def isscalar(element) -> builtins.bool:
    """Return True if `element` is a number or a string, not a Tensor or a sequence."""
def ix_(*args) -> builtins.tuple[Tensor, ...]:
    """An open grid of 1-d Tensors, each along its own dimension: a tuple."""
def kron(a, b) -> Tensor:
    """The Kronecker product: copies of `b`, each multiplied by one element of `a`."""
def lcm(x1, x2, dtype=None) -> Tensor:
    """The least common multiple, element by element, broadcast together."""
def less(x1, x2, dtype=None) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def less_equal(x1, x2, dtype=None) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`; with `retstep` also the step."""
def log(x, dtype=None) -> Tensor:
    r"""$\ln x$, element by element."""
def log10(x, dtype=None) -> Tensor:
    r"""$\log_{10} x$, element by element."""
def log1p(x, dtype=None) -> Tensor:
    r"""$\ln(1 + x)$, element by element."""
def log2(x, dtype=None) -> Tensor:
    r"""$\log_2 x$, element by element."""
def logaddexp(x1, x2, dtype=None) -> Tensor:
    r"""$\ln(e^{input} + e^{other})$, without overflow."""
def logaddexp2(x1, x2, dtype=None) -> Tensor:
    r"""$\log_2(2^{input} + 2^{other})$, without overflow."""
def logical_and(x1, x2, dtype=None) -> Tensor:
    r"""$input \land other$, element by element: Bool, broadcast together."""
def logical_not(a, dtype=None) -> Tensor:
    """Return True where $input = 0$, element by element: Bool."""
def logical_or(x1, x2, dtype=None) -> Tensor:
    r"""$input \lor other$, element by element: Bool, broadcast together."""
def logical_xor(x1, x2, dtype=None) -> Tensor:
    r"""$input \oplus other$, element by element: Bool, broadcast together."""
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0) -> Tensor:
    """`base` to the power of the numbers of `linspace`."""
def matmul(x1, x2, dtype=None) -> Tensor:
    r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
def matrix_power(a, n) -> Tensor:
    """The `n`-th power of the matrix `a`; for negative `n`, a power of its inverse."""
def max(a, axis=None, keepdims=False, initial=None, where=True) -> Tensor:
    """The largest element along `axis`: an int, a tuple, or None for all."""
def maximum(x1, x2, dtype=None) -> Tensor:
    """The larger of both, element by element; NaN where either is NaN."""
def mean(a, axis=None, keepdims=False, dtype=None) -> Tensor:
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def meshgrid(*xi, sparse=False, indexing='xy') -> builtins.list:
    """Coordinates of the grid over the flattened `xi`: a list with one Tensor per argument."""
mgrid: Any
def min(a, axis=None, keepdims=False, initial=None, where=True) -> Tensor:
    """The smallest element along `axis`: an int, a tuple, or None for all."""
def minimum(x1, x2, dtype=None) -> Tensor:
    """The smaller of both, element by element; NaN where either is NaN."""
def mod(x1, x2, dtype=None) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def moveaxis(a, source, destination) -> Tensor:
    """Move dimensions `source` (an int or several) to the positions `destination`."""
def multi_dot(arrays) -> Tensor:
    """The matrix product of several matrices, in the cheapest order."""
def multiply(x1, x2, dtype=None) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
nan: builtins.float
def nancumsum(a, axis=None, dtype=None) -> Tensor:
    """`cumsum` with NaN as 0."""
def nanmax(a, axis=None, dtype=None, keepdims=False) -> Tensor:
    """`max` of the elements that are not NaN; NaN if there are none."""
def nanmean(a, axis=None, dtype=None, keepdims=False) -> Tensor:
    """The mean of the elements that are not NaN, in Float32 unless `dtype` is given."""
def nanmin(a, axis=None, dtype=None, keepdims=False) -> Tensor:
    """`min` of the elements that are not NaN; NaN if there are none."""
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False) -> Tensor:
    """The square root of `nanvar`."""
def nansum(a, axis=None, dtype=None, keepdims=False) -> Tensor:
    """The sum with NaN as 0."""
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False) -> Tensor:
    """The variance of the elements that are not NaN; `ddof` is subtracted from the divisor."""
def negative(a, dtype=None) -> Tensor:
    """$-x$, element by element."""
def norm(x, ord=None, axis=None, keepdims=False) -> Tensor:
    """A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints)."""
def not_equal(x1, x2, dtype=None) -> Tensor:
    r"""$input \neq other$, element by element: Bool, broadcast together."""
ogrid: Any
def ones(shape, dtype=...) -> Tensor:
    """Ones in `shape`, an int or a tuple of ints."""
def ones_like(a, dtype=None, shape=None) -> Tensor:
    """Ones in the shape and dtype of `a`, unless others are given."""
def outer(a, b) -> Tensor:
    """$a_i b_j$ of two vectors."""
def pad(arr, pad_width, mode='constant', stat_length=None, constant_values=0, end_values=0, reflect_type='even', **kwargs) -> Tensor:
    """Pad `arr` by `pad_width` elements: an int, a (before, after) pair, or one pair per axis."""
pi: builtins.float
def piecewise(x, condlist, funclist, *args, **kw) -> Tensor:
    """Evaluate `funclist[i]` (a function of `x`, or a number) where `condlist[i]` holds."""
def polyadd(a1, a2) -> Tensor:
    """The sum of two polynomials."""
def polyder(p, m=1) -> Tensor:
    """The `m`-th derivative of a polynomial."""
def polyint(p, m=1, k=None) -> Tensor:
    """The `m`-th integral of a polynomial; `k`: the integration constants, one or `m` numbers."""
def polymul(a1, a2) -> Tensor:
    """The product of two polynomials."""
def polysub(a1, a2) -> Tensor:
    """The difference of two polynomials."""
def polyval(p, x) -> Tensor:
    """Evaluate the polynomial `p` at each element of `x`."""
def positive(a, dtype=None) -> Tensor:
    """$x$ itself, element by element."""
def power(x1, x2, dtype=None) -> Tensor:
    """$input^{exponent}$ for an exponent computed at run time; `pow` calls it."""
def promote_types(type1, type2) -> Type:
    """Return the promoted dtype of two dtypes."""
def ptp(x, axis=None, keepdims=False) -> Tensor:
    """The largest minus the smallest element along `axis`."""
def rad2deg(x, dtype=None) -> Tensor:
    r"""$180 x / \pi$, element by element."""
def radians(x, dtype=None) -> Tensor:
    r"""$\pi x / 180$, element by element."""
def rand(*shape, dtype=...) -> Tensor:
    """Uniform random numbers in [0, 1). `shape`: ints, or a tuple of ints; none: shape (1,)."""
def randint(minval, maxval=None, shape=None, dtype=...) -> Tensor:
    """Random integers in [`minval`, `maxval`), or in [0, `minval`) without `maxval`."""
def randn(*shape, dtype=...) -> Tensor:
    """Standard normal random numbers; `shape` as in `rand`."""
def ravel(x) -> Tensor:
    """Flatten to one dimension, in row-major order."""
def ravel_multi_index(multi_index, dims, mode='clip', order='C') -> Tensor:
    """Convert indices into `dims`, one row per dimension, to indices into the flattened array."""
def reciprocal(x, dtype=None) -> Tensor:
    """$1 / x$, element by element."""
def remainder(x1, x2, dtype=None) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def repeat(a, repeats, axis=None) -> Tensor:
    """Repeat each element `repeats` times along `axis`; of the flattened input if that is None."""
def reshape(x, new_shape) -> Tensor:
    """Reshape `x` to `new_shape`; one size may be -1."""
def result_type(*arrays_and_dtypes) -> Type:
    """Return the promoted dtype of Tensors, numbers and dtypes."""
def rint(x, dtype=None) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def roll(a, shift, axis=None) -> Tensor:
    """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in one dimension."""
def rollaxis(x, axis, start=0) -> Tensor:
    """Move the dimension `axis` before the dimension that is now at `start`."""
def rot90(a, k=1, axes=(0, 1)) -> Tensor:
    """Rotate `a` by 90 degrees `k` times, from the first of two `axes` toward the second."""
def round(a, decimals=0) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def searchsorted(a, v, side='left', sorter=None) -> Tensor:
    """Return the Int32 indices at which `v` must be inserted into the sorted vector `a`: before equal elements, or after them with `side` 'right'. `sorter`: indices that sort `a`."""
def select(condlist, choicelist, default=0) -> Tensor:
    """Return elementwise the first of `choicelist` whose condition in `condlist` holds, or `default`."""
def setdiff1d(ar1, ar2, assume_unique=False) -> Tensor:
    """Return the distinct elements of `ar1` that are not in `ar2`, sorted."""
def sign(x, dtype=None) -> Tensor:
    """`ops.sign`; integers as Float32."""
def signbit(x, dtype=None) -> Tensor:
    """True where $x < 0$, element by element."""
def sin(x, dtype=None) -> Tensor:
    r"""$\sin x$, element by element."""
def sinh(x, dtype=None) -> Tensor:
    r"""$\sinh x$, element by element."""
def size(a, axis=None) -> builtins.int:
    """Return the number of elements, or the size of dimension `axis`, as an int."""
def sometrue(a, axis=None, keepdims=False) -> Tensor:
    """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
def split(x, indices_or_sections, axis=0) -> Any:
    """Split along `axis` into a tuple of equal pieces (int), or at indices (tuple) into a list."""
def sqrt(x, dtype=None) -> Tensor:
    r"""$\sqrt{x}$, element by element."""
def square(x, dtype=None) -> Tensor:
    """$x^2$, element by element."""
def squeeze(a, axis=None) -> Tensor:
    """Remove dimensions of size 1: the dimensions in `axis`, or all."""
def stack(arrays, axis=0) -> Tensor:
    """Stack arrays of the same shape along a new dimension `axis`."""
def std(x, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
def subtract(x1, x2, dtype=None) -> Tensor:
    """$input - other$, broadcast together; on Bool, "exclusive or"."""
def sum(a, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:
    r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
def swapaxes(x, axis1, axis2) -> Tensor:
    """Swap two dimensions."""
def take(a, indices, axis=None, mode='clip') -> Tensor:
    """Return the elements (with `axis`, the slices along it) at `indices`."""
def take_along_axis(arr, indices, axis) -> Tensor:
    """Return, for each element of `indices`, the element of `arr` with that index along `axis`."""
def tan(x, dtype=None) -> Tensor:
    r"""$\tan x$, element by element."""
def tanh(x, dtype=None) -> Tensor:
    r"""$\tanh x$, element by element."""
def tensordot(a, b, axes=2) -> Tensor:
    """Products summed over axes of both: the last and first `axes` (an int), or the given ones."""
def tile(a, reps) -> Tensor:
    """Repeat `a` `reps[i]` times along dimension `i`; `reps` is aligned at the right."""
def trace(a, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
    """The sum along the diagonal `offset` of two dimensions; integers are summed in Int64 unless `dtype` is given."""
def transpose(a, axes=None) -> Tensor:
    """Permute the dimensions to the order `axes`, or reverse them."""
def trapz(y, x=None, dx=1.0, axis=-1) -> Tensor:
    """The integral of `y` along `axis` by the trapezoidal rule, at points `x` or with spacing `dx`."""
def tri(N, M=None, k=0, dtype=...) -> Tensor:
    """Ones at and below the diagonal `k` of an `N` by `M` matrix, zeros above."""
def tril(m, k=0) -> Tensor:
    """The triangle at and below the diagonal `k`, zeros above; a vector is broadcast to rows first."""
def tril_indices(n, k=0, m=None) -> builtins.tuple[Tensor, ...]:
    """Rows and columns of the lower triangle of an `n` by `m` matrix: a pair of Int32."""
def tril_indices_from(arr, k=0) -> builtins.tuple[Tensor, ...]:
    """`tril_indices` for the shape of the matrix `arr`."""
def triu(m, k=0) -> Tensor:
    """The triangle at and above the diagonal `k`, zeros below; a vector is broadcast to rows first."""
def triu_indices(n, k=0, m=None) -> builtins.tuple[Tensor, ...]:
    """Rows and columns of the upper triangle of an `n` by `m` matrix: a pair of Int32."""
def triu_indices_from(arr, k=0) -> builtins.tuple[Tensor, ...]:
    """`triu_indices` for the shape of the matrix `arr`."""
def true_divide(x1, x2, dtype=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def trunc(x, dtype=None) -> Tensor:
    """`ops.trunc`; integers as Float32."""
uint: Any
uint16: Any
uint32: Any
uint64: Any
uint8: Any
def unique(x, return_inverse=False) -> Any:
    """Return the distinct elements of the flattened array in order of first appearance; with `return_inverse` also, for each element, its index among them."""
def unravel_index(indices, shape, order='C') -> builtins.tuple[Tensor, ...]:
    """Convert indices into the flattened array to a tuple of indices into `shape`, clipped to it."""
def unwrap(p, discont=3.141592653589793, axis=-1) -> Tensor:
    r"""Angles with jumps larger than `discont` replaced by their complement to $2 \pi$."""
def vander(x, N=None, increasing=False) -> Tensor:
    """The matrix with powers of `x` as columns: from `N` - 1 to 0, or from 0 with `increasing`."""
def var(x, axis=None, ddof=0, keepdims=False) -> Tensor:
    r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
def vsplit(x, indices_or_sections) -> Any:
    """`split` along dimension 0."""
def vstack(tup) -> Tensor:
    """Join arrays below each other, vectors as rows; a Tensor is returned unchanged."""
def where(condition, x=None, y=None) -> Tensor:
    """`x` where `condition` holds, else `y`, broadcast together."""
def zeros(shape, dtype=...) -> Tensor:
    """Zeros in `shape`, an int or a tuple of ints."""
def zeros_like(a, dtype=None, shape=None) -> Tensor:
    """Zeros in the shape and dtype of `a`, unless others are given."""
