"""Tensor's methods; written by tools/write_stubs.py."""

from collections.abc import Iterator
from sporax._src.core.tensor import Tensor as Tensor
from sporax._src.core.to_host import Reading as Reading
from sporax.ops.sparse.tensors import COOTensor as COOTensor
from sporax.ops.sparse.tensors import CSRTensor as CSRTensor
from typing import Any
from typing import overload
import builtins

class Attached(Reading):
    @property
    def H(self) -> Tensor:
        """The conjugate transpose of a matrix; ValueError for another number of dimensions."""
    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order."""
    def __abs__(self) -> Tensor:
        """$|x|$, element by element."""
    def __add__(self, other) -> Tensor:
        """`+`"""
    def __and__(self, other) -> Tensor:
        """`&`"""
    def __array_function__(self, function, types, args, kwargs) -> Tensor:
        """Implement NumPy's call of `function(*args, **kwargs)` with Tensors among the arguments."""
    def __dlpack__(self, **options) -> Any:
        """Return the tensor's memory as a capsule, for `from_dlpack` of PyTorch, NumPy and JAX."""
    def __dlpack_device__(self) -> builtins.tuple:
        """Return DLPack's device type and device id."""
    def __eq__(self, other) -> Tensor:
        """`==`"""
    def __floordiv__(self, other) -> Tensor:
        """`//`"""
    def __ge__(self, other) -> Tensor:
        """`>=`"""
    def __getitem__(self, index) -> Tensor:
        """`self[index]`, as in NumPy; see this module for indices out of range, masks and writes."""
    def __gt__(self, other) -> Tensor:
        """`>`"""
    def __invert__(self) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]:
        """Iterate over the first dimension."""
    def __le__(self, other) -> Tensor:
        """`<=`"""
    def __lt__(self, other) -> Tensor:
        """`<`"""
    def __matmul__(self, other) -> Tensor:
        """`a @ b`"""
    def __mod__(self, other) -> Tensor:
        """`%`"""
    def __mul__(self, other) -> Tensor:
        """`*`"""
    def __ne__(self, other) -> Tensor:
        """`!=`"""
    def __neg__(self) -> Tensor:
        """$-x$, element by element."""
    def __or__(self, other) -> Tensor:
        """`|`"""
    def __pos__(self) -> Tensor:
        """$x$ itself, element by element."""
    def __pow__(self, exponent) -> Tensor:
        """$input^{exponent}$, broadcast together."""
    def __radd__(self, other) -> Tensor:
        """`+`"""
    def __rand__(self, other) -> Tensor:
        """`&`"""
    def __rfloordiv__(self, other) -> Tensor:
        """`//`"""
    def __rmatmul__(self, other) -> Tensor:
        """`a @ b`"""
    def __rmod__(self, other) -> Tensor:
        """`%`"""
    def __rmul__(self, other) -> Tensor:
        """`*`"""
    def __ror__(self, other) -> Tensor:
        """`|`"""
    def __round__(self, decimals=0) -> Tensor: ...
    def __rpow__(self, other) -> Tensor:
        """`**`"""
    def __rsub__(self, other) -> Tensor:
        """`-`"""
    def __rtruediv__(self, other) -> Tensor:
        """`/`"""
    def __rxor__(self, other) -> Tensor:
        """`^`"""
    def __setitem__(self, index, value) -> None:
        """`self[index] = value`, broadcast to the indexed shape and cast to this dtype."""
    def __sub__(self, other) -> Tensor:
        """`-`"""
    def __truediv__(self, other) -> Tensor:
        """`/`"""
    def __xor__(self, other) -> Tensor:
        """`^`"""
    def _data_ptr(self) -> builtins.int:
        """Return the address of the array on the device, for comparisons."""
    def _load(self, *args, **kwargs) -> None:
        """Do nothing: XLA places tensors, and they are not moved explicitly."""
    def _offload(self, *args, **kwargs) -> None:
        """Do nothing: XLA places tensors, and they are not moved explicitly."""
    def abs(self) -> Tensor:
        """$|x|$, element by element."""
    def absolute(self) -> Tensor:
        """$|x|$, element by element."""
    def acos(self) -> Tensor:
        r"""$\arccos x$, element by element."""
    def acosh(self) -> Tensor:
        r"""$\operatorname{arcosh} x$, element by element."""
    def add(self, other, *, alpha=1) -> Tensor:
        r"""$input + alpha \cdot other$, broadcast together."""
    def add_(self, *args, **kwargs) -> Tensor:
        """Apply `add` in place."""
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \sum_b batch1_b \, batch2_b$."""
    def addcdiv(self, tensor1, tensor2, *, value=1) -> Tensor:
        r"""$input + value \cdot tensor1 / tensor2$."""
    def addcmul(self, tensor1, tensor2, value=1) -> Tensor:
        r"""$input + value \cdot tensor1 \cdot tensor2$."""
    def addmm(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ for matrices."""
    def addmm_(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ in place."""
    def addmv(self, mat, vec, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat \, vec$ for a matrix and a vector."""
    def addr(self, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot x + \alpha \cdot vec1 \, vec2^\top$ for vectors."""
    def adjoint(self) -> Tensor:
        """Swap the last two axes, and conjugate."""
    @overload
    def all(self, axis=None, keep_dims=False) -> Tensor:
        """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
    @overload
    def all(self, dim=None, keepdim=False) -> Tensor:
        """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> builtins.bool:
        """Return True if all elements are close, as in `isclose`: a Python bool."""
    def amax(self, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
        """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
    def amin(self, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
        """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
    def aminmax(self, *, axis=0, keepdims=False) -> builtins.tuple[Tensor, ...]:
        """The smallest and the largest elements along `axis` (None: of all)."""
    def angle(self) -> Tensor:
        r"""The angle $\operatorname{atan2}(b, a)$ of $a + b i$; 0 or $\pi$ for a real number."""
    @overload
    def any(self, axis=None, keep_dims=False) -> Tensor:
        """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
    @overload
    def any(self, dim=None, keepdim=False) -> Tensor:
        """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
    def approximate_equal(self, other, tolerance=1e-05) -> Tensor:
        """Return True where $|x - y|$ is less than `tolerance`."""
    def arccos(self) -> Tensor:
        r"""$\arccos x$, element by element."""
    def arccosh(self) -> Tensor:
        r"""$\operatorname{arcosh} x$, element by element."""
    def arcsin(self) -> Tensor:
        r"""$\arcsin x$, element by element."""
    def arcsinh(self) -> Tensor:
        r"""$\operatorname{arsinh} x$, element by element."""
    def arctan(self) -> Tensor:
        r"""$\arctan x$, element by element."""
    def arctan2(self, other) -> Tensor:
        r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
    def arctanh(self) -> Tensor:
        r"""$\operatorname{artanh} x$, element by element."""
    @overload
    def argmax(self, axis=None, keepdims=False) -> Tensor:
        """The index of the largest element along `dim`, or among all elements if None: Int64."""
    @overload
    def argmax(self, dim=None, keepdim=False) -> Tensor:
        """The index of the largest element along `dim`, or among all elements if None: Int64."""
    def argmax_with_value(self, axis=0, keep_dims=False) -> builtins.tuple[Tensor, ...]:
        """The largest elements along `axis` and their indices (Int64), a pair."""
    @overload
    def argmin(self, axis=None, keepdims=False) -> Tensor:
        """The index of the smallest element along `axis`, or among all elements if None: Int32."""
    @overload
    def argmin(self, dim=None, keepdim=False) -> Tensor:
        """The index of the smallest element along `axis`, or among all elements if None: Int32."""
    def argmin_with_value(self, axis=0, keep_dims=False) -> builtins.tuple[Tensor, ...]:
        """The smallest elements along `axis` and their indices (Int64), a pair."""
    @overload
    def argsort(self, axis=-1, descending=False) -> Tensor:
        """Return the indices (Int32) that sort the elements along `axis`."""
    @overload
    def argsort(self, dim=-1, descending=False, stable=False) -> Tensor:
        """Return the indices (Int32) that sort the elements along `axis`."""
    def argwhere(self) -> Tensor:
        """Return the indices of nonzero elements, as rows: Int64."""
    def asin(self) -> Tensor:
        r"""$\arcsin x$, element by element."""
    def asinh(self) -> Tensor:
        r"""$\operatorname{arsinh} x$, element by element."""
    def assign_value_cpp(self, value) -> Tensor:
        """As `assign_value`."""
    def astype(self, dtype, copy=True) -> Tensor:
        """Cast the tensor to `dtype`; see `ops.cast`. `copy=False`: returns self if it has that dtype."""
    def atan(self) -> Tensor:
        r"""$\arctan x$, element by element."""
    def atan2(self, other) -> Tensor:
        r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
    def atanh(self) -> Tensor:
        r"""$\operatorname{artanh} x$, element by element."""
    def baddbmm(self, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch."""
    def bernoulli(self, *, generator=None) -> Tensor:
        """Draw 1 with a probability, else 0, in the shape and dtype of `input`."""
    def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
        """Fill the tensor with 1 with probability `p` (a number or Tensor), else 0."""
    def bfloat16(self) -> Tensor:
        """The tensor in BFloat16."""
    def bincount(self, weights=None, minlength=0) -> Tensor:
        """Count each int from 0 on in a vector: Float32, at least `minlength` elements."""
    def bitwise_and(self, other) -> Tensor:
        r"""$input \land other$, element by element, bit by bit, broadcast together."""
    def bitwise_left_shift(self, other) -> Tensor:
        r"""$input \cdot 2^{other}$ of integers; broadcast together."""
    def bitwise_not(self) -> Tensor:
        """Flip every bit; on Bool, "not"."""
    def bitwise_or(self, other) -> Tensor:
        r"""$input \lor other$, element by element, bit by bit, broadcast together."""
    def bitwise_right_shift(self, other) -> Tensor:
        r"""$\lfloor input / 2^{other} \rfloor$ of integers; broadcast together."""
    def bitwise_xor(self, other) -> Tensor:
        r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
    def bmm(self, mat2) -> Tensor:
        """`matmul` of two batches of matrices, with the same axes before the last two."""
    def bool(self) -> Tensor:
        """The tensor in Bool."""
    def broadcast_to(self, *shape, size=None) -> Tensor:
        """Broadcast the tensor to a shape; see `ops.broadcast_to`."""
    def byte(self) -> Tensor:
        """The tensor in UInt8."""
    def cauchy(self, median=0.0, sigma=1.0) -> Tensor:
        r"""Draw numbers with density $\sigma / (\pi ((x - median)^2 + \sigma^2))$, shaped as `input`."""
    def ceil(self) -> Tensor:
        r"""$\lceil x \rceil$, element by element."""
    def cholesky(self, upper=False) -> Tensor:
        """The triangle $L$ with $L L^T = input$, a positive definite matrix (`upper`: $L^T$)."""
    def cholesky_inverse(self, upper=False) -> Tensor:
        r"""$(L L^\top)^{-1}$ of a triangle L, or $(U^\top U)^{-1}$ where `upper`."""
    def cholesky_solve(self, input2, upper=False) -> Tensor:
        r"""X with $L L^\top X = input$, `input2` being the triangle L (`upper`: $L^\top$)."""
    def choose(self, choices, mode='clip') -> Tensor:
        """Select at each position the element of `choices[i]`, where the tensor is `i`; broadcast together."""
    @overload
    def chunk(self, chunks, dim=0) -> builtins.tuple[Tensor, ...]:
        """Split into at most `chunks` equal pieces along `axis` (the last may be smaller), a tuple."""
    @overload
    def chunk(self, chunks, axis=0) -> builtins.tuple[Tensor, ...]:
        """Split into at most `chunks` equal pieces along `axis` (the last may be smaller), a tuple."""
    def clamp(self, min=None, max=None) -> Tensor:
        """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
    def clamp_(self, min=None, max=None) -> Tensor:
        """`clamp` in place."""
    def clip(self, min=None, max=None) -> Tensor:
        """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
    def clone(self) -> Tensor:
        """Return an independent tensor with the same contents; derivatives pass through."""
    def col2im(self, output_size, kernel_size, dilation, padding_value, stride) -> Tensor:
        """As `fold`, for `(N, C, kh kw, L)`."""
    def conj(self) -> Tensor:
        """$a - b i$ for $a + b i$; real tensors are returned unchanged."""
    def contiguous(self) -> Tensor:
        """Return the tensor itself if its elements are contiguous in row-major order, else a copy."""
    def copy(self) -> Tensor:
        """Return an independent tensor with the same contents; derivatives pass through."""
    def copy_(self, src, non_blocking=False) -> Tensor:
        """Copy the contents of `src` to the tensor."""
    def copysign(self, other) -> Tensor:
        """$|input|$ with the sign of `other`; broadcast together."""
    def cos(self) -> Tensor:
        r"""$\cos x$, element by element."""
    def cosh(self) -> Tensor:
        r"""$\cosh x$, element by element."""
    @overload
    def count_nonzero(self, dim=None) -> Tensor:
        """Count the nonzero elements along `axis` (`()`: all)."""
    @overload
    def count_nonzero(self, axis=(), keep_dims=False, dtype=...) -> Tensor:
        """Count the nonzero elements along `axis` (`()`: all)."""
    def cov(self, *, correction=1, fweights=None, aweights=None) -> Tensor:
        """Covariances of the variables in the rows of `(n, m)`: `(n, n)`; 0-d for a single one."""
    def cross(self, other, dim=None) -> Tensor:
        """The cross product of vectors of three elements along `dim` (None: the first of size 3)."""
    def cummax(self, axis) -> builtins.tuple[Tensor, ...]:
        """The largest element so far along `axis`, and its index (Int64)."""
    def cummin(self, axis) -> builtins.tuple[Tensor, ...]:
        """The smallest element so far along `axis`, and its index (Int32)."""
    def cumprod(self, dim, dtype=None) -> Tensor:
        r"""$y_i = \prod_{j \leq i} x_j$ along `dim`; integers are multiplied in Int64."""
    @overload
    def cumsum(self, axis=None, dtype=None) -> Tensor:
        """Cumulative sums along `axis`, or of all elements; small integers are summed in Int32."""
    @overload
    def cumsum(self, dim, *, dtype=None) -> Tensor: ...
    def data_ptr(self) -> builtins.int:
        """Return the address of the array on the device, for comparisons."""
    def deg2rad(self) -> Tensor:
        r"""$\pi x / 180$, element by element."""
    def delete_(self, non_blocking=False) -> Tensor:
        """Free the memory of the elements, which become 0; returns the tensor."""
    def det(self) -> Tensor:
        """The determinant of each matrix in the last two dimensions."""
    def diag(self) -> Tensor:
        """The elements of `input` on the diagonal of twice as many dimensions, zeros elsewhere."""
    def diagflat(self, offset=0) -> Tensor:
        """A matrix with all elements of `input` on the diagonal `offset` above the main one."""
    def diagonal(self, offset=0, axis1=0, axis2=1) -> Tensor:
        """The diagonal of two dimensions, `offset` above the main one, as the last dimension."""
    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1) -> Tensor:
        """`input` with the diagonal `offset` of the planes of `dim1` and `dim2` replaced by `src`."""
    def diff(self, n=1, axis=-1, prepend=None, append=None) -> Tensor:
        """Differences of neighbours along `axis`, `n` times, including `prepend` and `append`."""
    def digamma(self) -> Tensor:
        r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0."""
    def div(self, other, *, rounding_mode=None) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def div_(self, *args, **kwargs) -> Tensor:
        """Apply `div` in place."""
    def divide(self, other, *, rounding_mode=None) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def dot(self, other) -> Tensor:
        r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one."""
    def double(self) -> Tensor:
        """The tensor in Float64."""
    def dsplit(self, indices_or_sections) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` along axis 2."""
    def eigvals(self) -> Tensor:
        """The eigenvalues of each matrix `(*, n, n)`: complex, unordered. Only on a CPU."""
    def eq(self, other) -> Tensor:
        """$input = other$, element by element: Bool, broadcast together."""
    def equal(self, other) -> Tensor:
        """$input = other$, element by element: Bool, broadcast together."""
    def erf(self) -> Tensor:
        r"""$\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt$, element by element."""
    def erfc(self) -> Tensor:
        r"""$1 - \operatorname{erf}(x)$, element by element."""
    def erfinv(self) -> Tensor:
        """The inverse of `erf`, element by element."""
    def erfinv_(self) -> Tensor:
        """Apply `erfinv` in place."""
    def exp(self) -> Tensor:
        """$e^{x}$, element by element."""
    def exp2(self) -> Tensor:
        """$2^x$, element by element."""
    def exp_(self) -> Tensor:
        """Apply `exp` in place."""
    def expand(self, *shape, size=None) -> Tensor:
        """Broadcast the tensor to a shape; see `ops.broadcast_to`."""
    @overload
    def expand_as(self, other) -> Tensor:
        """Broadcast `input` to the shape of `other`."""
    @overload
    def expand_as(self, x) -> Tensor:
        """Broadcast `input` to the shape of `other`."""
    def expand_dims(self, axis) -> Tensor:
        """Insert a dimension of size 1 at `axis`."""
    def expm1(self) -> Tensor:
        """$e^x - 1$, element by element."""
    def exponential_(self, lambd=1, *, generator=None) -> Tensor:
        r"""Fill the tensor with numbers of density $\lambda e^{-\lambda x}$."""
    def fill(self, value) -> Tensor:
        """`fill_value` in the shape of `input`, in its dtype unless another is given."""
    def fill_(self, value) -> Tensor:
        """Set every element to `value`."""
    def fill_diagonal(self, fill_value, wrap=False) -> Tensor:
        """`input` with `fill_value` on its main diagonal, where all indices are equal."""
    def fill_diagonal_(self, fill_value, wrap=False) -> Tensor:
        """`fill_diagonal` in place."""
    def fills(self, value) -> Tensor:
        """`fill_value` in the shape of `input`, in its dtype unless another is given."""
    def flatten(self, start_dim=0, end_dim=-1, *, order='C') -> Tensor:
        """Merge the dimensions from `start_dim` to `end_dim` into one; all of them by default."""
    def flip(self, *dims) -> Tensor:
        """Reverse the order of the elements along `dims`; see `ops.flip`."""
    def fliplr(self) -> Tensor:
        """Reverse the order of the columns."""
    def flipud(self) -> Tensor:
        """Reverse the order of the rows."""
    def float(self) -> Tensor:
        """The tensor in Float32."""
    def float_power(self, other) -> Tensor:
        """$input^{exponent}$, computed in Float64."""
    def floor(self) -> Tensor:
        r"""$\lfloor x \rfloor$, element by element."""
    def floor_(self) -> Tensor:
        """Apply `floor` in place."""
    def floor_divide(self, other) -> Tensor:
        r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
    def floor_divide_(self, *args, **kwargs) -> Tensor:
        """Apply `floor_divide` in place."""
    def flush_from_cache(self) -> None:
        """Do nothing: tensors have no cache between them and their memory."""
    def fmax(self, other) -> Tensor:
        """The greater one, or the other one if one is NaN; broadcast together."""
    def fmin(self, other) -> Tensor:
        """The lesser one, or the other one if one is NaN; broadcast together."""
    def fmod(self, other) -> Tensor:
        """The remainder of a division truncated toward zero, with the dividend's sign."""
    def fold(self, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """Combine windows given as columns, summed where they overlap: the transpose of `unfold`."""
    def frac(self) -> Tensor:
        r"""$x - \operatorname{trunc}(x)$, element by element."""
    @staticmethod
    def from_dlpack(dlpack) -> Tensor:
        """Create a Tensor of the memory of another library's array: a PyTorch tensor, a NumPy or JAX array, or a capsule from their `to_dlpack`."""
    @overload
    def gather(self, input_indices, axis, batch_dims=0) -> Tensor:
        """The slices along `axis` at `input_indices`, or by (dim, index) one element for each index."""
    @overload
    def gather(self, dim, index) -> Tensor: ...
    def gather_elements(self, dim, index) -> Tensor:
        """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index."""
    def gather_nd(self, indices) -> Tensor:
        """The elements at the rows of `indices` (last dimension), from the first dimension on."""
    def gcd(self, other) -> Tensor:
        """The greatest common divisor of integers; broadcast together."""
    def ge(self, other) -> Tensor:
        r"""$input \geq other$, element by element: Bool, broadcast together."""
    def geqrf(self) -> builtins.tuple[Tensor, ...]:
        """R in the upper triangle, below the diagonal the Householder reflections whose product is Q, and their factors: LAPACK's format."""
    def ger(self, vec2) -> Tensor:
        """$a_i b_j$ of two vectors."""
    def greater(self, other) -> Tensor:
        """$input > other$, element by element: Bool, broadcast together."""
    def greater_equal(self, other) -> Tensor:
        r"""$input \geq other$, element by element: Bool, broadcast together."""
    def gt(self, other) -> Tensor:
        """$input > other$, element by element: Bool, broadcast together."""
    def half(self) -> Tensor:
        """The tensor in Float16."""
    def hardshrink(self, lambd=0.5) -> Tensor:
        r"""$x$ where $|x| > \lambda$, else 0."""
    def heaviside(self, values) -> Tensor:
        """0 where `input` is negative, 1 where positive, `values` where it is 0; broadcast together."""
    def histc(self, bins=100, min=0.0, max=0.0) -> Tensor:
        """Count the elements in each of `bins` equal bins from `min` to `max`, in the input's dtype (Float32 for 16-bit floats)."""
    def hooks(self) -> builtins.list:
        """Return the functions registered by `register_hook`."""
    def hsplit(self, indices_or_sections) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` along axis 1 (0 of a vector)."""
    def hypot(self, other) -> Tensor:
        r"""$\sqrt{input^2 + other^2}$."""
    def i0(self) -> Tensor:
        r"""$I_0(x) = \frac1\pi \int_0^\pi e^{x \cos t} dt$, element by element; nan where it is not real."""
    def igamma(self, other) -> Tensor:
        r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`."""
    def igammac(self, other) -> Tensor:
        """$Q(a, x) = 1 - P(a, x)$, see `igamma`."""
    def imag(self) -> Tensor:
        """The imaginary part; zeros for real tensors."""
    def index(self, value) -> Tensor:
        """Return the elements at index Tensors, one for each of the first axes, broadcast together."""
    @overload
    def index_add(self, dim, index, source, *, alpha=1) -> Tensor:
        r"""`x` with $\alpha \cdot source$ added to the slices along `dim` at `index`."""
    @overload
    def index_add(self, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor: ...
    def index_add_(self, dim, index, source, *, alpha=1) -> Tensor:
        r"""Add $\alpha \cdot source$ to the slices along `dim` at `index` in place."""
    def index_copy_(self, dim, index, tensor) -> Tensor:
        """Write the slices of `tensor` along `dim` to the tensor itself at `index`."""
    def index_fill(self, axis, index, value) -> Tensor:
        """`x` with `value` in the slices along `axis` at `index`."""
    def index_fill_(self, dim, index, value) -> Tensor:
        """Write `value` to the slices along `dim` at `index` in place."""
    @property
    def index_of_parent_(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def index_put(self, indices, values, accumulate=False) -> Tensor:
        """`input` with `values` at `indices`: a Tensor of integers, or a Bool mask, for each of the first axes, broadcast together. `accumulate`: adds to the old values."""
    def index_put_(self, indices, values, accumulate=False) -> Tensor:
        """`index_put` in place."""
    @overload
    def index_select(self, axis, index) -> Tensor:
        """The slices along `axis` at the 1-d `index`."""
    @overload
    def index_select(self, dim, index) -> Tensor:
        """The slices along `axis` at the 1-d `index`."""
    @property
    def init_finished(self) -> builtins.bool:
        """True if the elements exist, False if only an initializer does."""
    def inner(self, other) -> Tensor:
        r"""$\sum_k a_{\ldots k} b_{\ldots k}$: the product over both last axes."""
    def inplace_update(self, v, indices) -> Tensor:
        """`x` with row `indices[i]` replaced by `v[i]`."""
    def int(self) -> Tensor:
        """The tensor in Int32."""
    def inv(self) -> Tensor:
        """$1 / x$, element by element; for integers truncated toward zero, in their dtype."""
    def inverse(self) -> Tensor:
        """The inverse of each matrix in the last two dimensions."""
    def invert(self) -> Tensor:
        """Flip every bit; on Bool, "not"."""
    def is_complex(self) -> builtins.bool:
        """Return True if the dtype is complex."""
    def is_contiguous(self) -> builtins.bool:
        """Return True if the elements are contiguous in memory, in row-major order."""
    def is_floating_point(self) -> builtins.bool:
        """Return True if the dtype is floating."""
    def is_init(self) -> builtins.bool:
        """Return the flag set by `set_init_flag`; initially False."""
    @property
    def is_meta(self) -> Tensor:
        """A flag of MindSpore's runtime, False at first; it changes nothing here."""
    def is_pinned(self) -> builtins.bool:
        """Return False: the elements are not in pinned host memory."""
    def is_shared(self) -> builtins.bool:
        """Return False: other processes do not share the elements."""
    def is_signed(self) -> builtins.bool:
        """Return True if the dtype has negative values."""
    @overload
    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
    @overload
    def isclose(self, x2, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
    def isfinite(self) -> Tensor:
        """True where $x$ is finite, element by element."""
    def isinf(self) -> Tensor:
        """True where $x$ is infinite, element by element."""
    def isnan(self) -> Tensor:
        """True where $x$ is NaN, element by element."""
    def isneginf(self) -> Tensor:
        r"""True where $x = -\infty$, element by element."""
    def isposinf(self) -> Tensor:
        r"""True where $x = \infty$, element by element."""
    def isreal(self) -> Tensor:
        """Return True where the imaginary part is zero."""
    def itemset(self, *args) -> Tensor:
        """Return a new tensor with one element replaced: `itemset(value)` for a one-element tensor, `itemset(index, value)` with a flat, row-major index or a tuple of ints."""
    def kthvalue(self, k, dim=-1, keepdim=False) -> builtins.tuple[Tensor, ...]:
        """The `k`-th smallest element along `dim`, k from 1, and its index (Int64): a pair. NaN sorts last."""
    def lcm(self, other) -> Tensor:
        """The least common multiple of integers; broadcast together."""
    def ldexp(self, other) -> Tensor:
        r"""$input \cdot 2^{other}$; broadcast together."""
    def le(self, other) -> Tensor:
        r"""$input \leq other$, element by element: Bool, broadcast together."""
    def lerp(self, end, weight) -> Tensor:
        r"""$input + weight \cdot (end - input)$."""
    def less(self, other) -> Tensor:
        """$input < other$, element by element: Bool, broadcast together."""
    def less_equal(self, other) -> Tensor:
        r"""$input \leq other$, element by element: Bool, broadcast together."""
    def lgamma(self) -> Tensor:
        r"""$\ln |\Gamma(x)|$, element by element."""
    def log(self) -> Tensor:
        r"""$\ln x$, element by element."""
    def log10(self) -> Tensor:
        r"""$\log_{10} x$, element by element."""
    def log1p(self) -> Tensor:
        r"""$\ln(1 + x)$, element by element."""
    def log2(self) -> Tensor:
        r"""$\log_2 x$, element by element."""
    def log_(self) -> Tensor:
        """Apply `log` in place."""
    def log_matrix_determinant(self) -> builtins.tuple[Tensor, ...]:
        """The sign of each matrix' determinant, and the logarithm of its modulus."""
    def log_normal(self, mean=1.0, std=2.0) -> Tensor:
        """$e^z$, z normal with mean `mean`, deviation `std`, in the shape and dtype of `input`."""
    def logaddexp(self, other) -> Tensor:
        r"""$\ln(e^{input} + e^{other})$, without overflow."""
    def logaddexp2(self, other) -> Tensor:
        r"""$\log_2(2^{input} + 2^{other})$, without overflow."""
    def logcumsumexp(self, axis) -> Tensor:
        r"""$\ln \sum_{j \le i} e^{x_j}$ along `axis`, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of each matrix' determinant: NaN if it is negative, -inf if it is 0."""
    @overload
    def logical_and(self, other) -> Tensor:
        r"""$input \land other$, element by element: Bool, broadcast together."""
    @overload
    def logical_and(self, y) -> Tensor:
        r"""$input \land other$, element by element: Bool, broadcast together."""
    def logical_not(self) -> Tensor:
        """Return True where $input = 0$, element by element: Bool."""
    @overload
    def logical_or(self, other) -> Tensor:
        r"""$input \lor other$, element by element: Bool, broadcast together."""
    @overload
    def logical_or(self, y) -> Tensor:
        r"""$input \lor other$, element by element: Bool, broadcast together."""
    def logical_xor(self, other) -> Tensor:
        r"""$input \oplus other$, element by element: Bool, broadcast together."""
    def logit(self, eps=None) -> Tensor:
        r"""$\ln \frac{x}{1 - x}$; `eps`: `input` is first clamped to $[eps, 1 - eps]$."""
    @overload
    def logsumexp(self, dim, keepdim=False) -> Tensor:
        r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
    @overload
    def logsumexp(self, axis, keepdims=False) -> Tensor:
        r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
    def long(self) -> Tensor:
        """The tensor in Int64."""
    def lstsq(self, A) -> Tensor:
        r"""The X that minimizes $\|A X - B\|$, where A is `input`, `(m, n)`, and B is MindSpore's argument `A`, `(m, k)` or `(m,)`; the minimum-norm solution if there are several."""
    def lt(self, other) -> Tensor:
        """$input < other$, element by element: Bool, broadcast together."""
    def lu_solve(self, LU_data, LU_pivots) -> Tensor:
        """Solve A X = b for X, given A's triangles in one matrix `(*, n, n)` and its pivots `(*, n)`, which count from 1."""
    @property
    def mH(self) -> Tensor:
        """Swap the last two axes, and conjugate."""
    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions swapped."""
    def masked_fill(self, mask, value) -> Tensor:
        """Fill with `value`, a number or a 0-d tensor, where the Bool `mask` is True."""
    def masked_fill_(self, mask, value) -> Tensor:
        """Fill with `value` in place where the Bool `mask` is True; see `ops.masked_fill`."""
    def masked_scatter(self, mask, tensor) -> Tensor:
        """`input` with the elements of `source`, in their order, where `mask` is True."""
    def masked_scatter_(self, mask, source) -> Tensor:
        """`masked_scatter` in place."""
    def masked_select(self, mask) -> Tensor:
        """Return the elements where the Bool `mask` is True, flattened; both are broadcast together."""
    @overload
    def matmul(self, tensor2) -> Tensor:
        r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
    @overload
    def matmul(self, other) -> Tensor:
        r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
    def matrix_determinant(self) -> Tensor:
        """The determinant of each matrix in the last two dimensions."""
    def matrix_power(self, n) -> Tensor:
        """$A^n$ of each matrix; a negative `n` uses the inverse."""
    @overload
    def max(self, dim, keepdim=False) -> builtins.tuple[Tensor, ...]:
        """The largest elements along `axis` and their indices (Int64), a pair."""
    @overload
    def max(self, axis=None, keepdims=False, *, initial=None, where=None, return_indices=False) -> Any:
        """The largest elements along `axis` and their indices (Int64), a pair."""
    def maximum(self, other) -> Tensor:
        """The larger of both, element by element; NaN where either is NaN."""
    @overload
    def mean(self, axis=None, keep_dims=False) -> Tensor:
        r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def mean(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def median(self, axis=-1, keepdims=False) -> Any:
        """The lower of the two middle elements along `axis`, and its index (Int64); NaN if any element is NaN."""
    @overload
    def median(self, dim=-1, keepdim=False) -> Any:
        """The lower of the two middle elements along `axis`, and its index (Int64); NaN if any element is NaN."""
    @overload
    def min(self, dim, keepdim=False) -> builtins.tuple[Tensor, ...]:
        """The smallest elements along `axis` and their indices (Int64), a pair."""
    @overload
    def min(self, axis=None, keepdims=False, *, initial=None, where=None, return_indices=False) -> Any:
        """The smallest elements along `axis` and their indices (Int64), a pair."""
    def minimum(self, other) -> Tensor:
        """The smaller of both, element by element; NaN where either is NaN."""
    def mm(self, mat2) -> Tensor:
        """`matmul` of two matrices."""
    def move_to(self, to, blocking=True) -> Tensor:
        """Return a copy of the tensor. `to`: 'Ascend', 'GPU' or 'CPU'; XLA chooses the device."""
    def moveaxis(self, source, destination) -> Tensor:
        """Move dimensions `source` (an int or several) to the positions `destination`."""
    def movedim(self, source, destination) -> Tensor:
        """Move dimensions `source` (an int or several) to the positions `destination`."""
    def msort(self) -> Tensor:
        """Sort along the first axis."""
    def mul(self, other) -> Tensor:
        r"""$input \cdot other$, broadcast together."""
    def mul_(self, *args, **kwargs) -> Tensor:
        """Apply `mul` in place."""
    def multinomial(self, num_samples, replacement=True, seed=None) -> Tensor:
        """Draw `num_samples` indices for each row of `input`, weighted by the row: Int32."""
    def multiply(self, value) -> Tensor:
        r"""$input \cdot other$, broadcast together."""
    def mvlgamma(self, p) -> Tensor:
        """The logarithm of the multivariate gamma function of dimension `p`."""
    def nan_to_num(self, nan=None, posinf=None, neginf=None) -> Tensor:
        """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities."""
    @overload
    def nanmean(self, axis=None, keepdims=False, *, dtype=None) -> Tensor:
        """The mean of the elements that are not NaN, along `axis`; None: all."""
    @overload
    def nanmean(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """The mean of the elements that are not NaN, along `axis`; None: all."""
    def nanmedian(self, axis=-1, keepdims=False) -> Any:
        """`median` that ignores NaN."""
    def nanquantile(self, q, axis=None, keepdims=False) -> Tensor:
        """`quantile` that ignores NaN."""
    @overload
    def nansum(self, axis=None, keepdims=False, *, dtype=None) -> Tensor:
        """The sum of the elements that are not NaN, along `axis`; None: all."""
    @overload
    def nansum(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """The sum of the elements that are not NaN, along `axis`; None: all."""
    @overload
    def narrow(self, dim, start, length) -> Tensor:
        """`length` slices along `axis`, starting at `start`."""
    @overload
    def narrow(self, axis, start, length) -> Tensor:
        """`length` slices along `axis`, starting at `start`."""
    def ne(self, other) -> Tensor:
        r"""$input \neq other$, element by element: Bool, broadcast together."""
    def neg(self) -> Tensor:
        """$-x$, element by element."""
    def negative(self) -> Tensor:
        """$-x$, element by element."""
    def new_empty(self, size, dtype=None, device=None) -> Tensor:
        """Create a tensor of shape `size` to be filled, in the tensor's dtype or another: zeros."""
    def new_full(self, size, fill_value, *, dtype=None) -> Tensor:
        """`fill_value` in the shape `size`, in the tensor's dtype unless another is given."""
    def new_ones(self, size, dtype=None) -> Tensor:
        """Ones of shape `size`, in the tensor's dtype unless another is given."""
    def new_zeros(self, size, dtype=None) -> Tensor:
        """Zeros of shape `size`, in the tensor's dtype unless another is given."""
    def nextafter(self, other) -> Tensor:
        """The next number after `input` toward `other`, with the derivative 1 of `input`; broadcast together."""
    def nonzero(self, *, as_tuple=False) -> Tensor:
        """Return the indices of nonzero elements, one per row, Int64; `as_tuple`: a tuple of columns."""
    def norm(self, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints)."""
    def normal_(self, mean=0, std=1, *, generator=None) -> Tensor:
        """Fill the tensor from the normal distribution with `mean` and standard deviation `std`."""
    def not_equal(self, other) -> Tensor:
        r"""$input \neq other$, element by element: Bool, broadcast together."""
    def offload(self, file_path) -> builtins.bool:
        """Write the elements to a file and free their memory; they are loaded again on use. Returns True."""
    def offload_file_path(self) -> builtins.str:
        """Return the file that holds the elements since `offload`; '' if they are in memory."""
    def orgqr(self, input2) -> Tensor:
        """The first columns of Q from `geqrf`'s reflections and factors `input2`: `(*, m, n)`."""
    def ormqr(self, input2, input3, left=True, transpose=False) -> Tensor:
        """$Q C$, or without `left` $C Q$, where C is `other` `(*, m, n)` and Q, square, is the product of Householder reflections in `geqrf`'s format: `input` `(*, mn, k)`, below the diagonal, and their factors `tau` `(*, min(mn, k))`. `transpose`: uses Q's (conjugate) transpose."""
    def outer(self, vec2) -> Tensor:
        """$a_i b_j$ of two vectors."""
    @property
    def param_info(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    @property
    def parent_tensor_(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def permute(self, *dims, axis=None) -> Tensor:
        """Permute the dimensions to the order of `dims`."""
    def pin_memory(self) -> Tensor:
        """Return the tensor itself: arrays already are where XLA reads them."""
    def positive(self) -> Tensor:
        """$x$ itself, element by element."""
    def pow(self, exponent) -> Tensor:
        """$input^{exponent}$, broadcast together."""
    @overload
    def prod(self, axis=None, keep_dims=False, dtype=None) -> Tensor:
        r"""$\prod_i x_i$ along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def prod(self, dim=None, keepdim=False, dtype=None) -> Tensor:
        r"""$\prod_i x_i$ along `axis`: an int, a tuple of ints, or None for all."""
    def ptp(self, axis=None, keepdims=False) -> Tensor:
        """The largest minus the smallest element along `axis`."""
    def put_(self, index, source, accumulate=False) -> Tensor:
        """Write the elements of `source` to the tensor itself, at the flat, row-major indices `index`. `accumulate`: adds to the old values."""
    def qr(self, some=True) -> builtins.tuple[Tensor, ...]:
        """`ops.qr`; `some`: the reduced form."""
    def quantile(self, q, axis=None, keepdims=False) -> Tensor:
        """The `q`-quantiles (from 0 to 1) along `axis` (None: of all), with linear interpolation."""
    def rad2deg(self) -> Tensor:
        r"""$180 x / \pi$, element by element."""
    def random_(self, from_=0, to=None, *, generator=None) -> Tensor:
        """Fill the tensor with integers drawn uniformly from [from_, to)."""
    def random_categorical(self, num_sample, seed=0, dtype=...) -> Tensor:
        """Draw `num_sample` indices for each row of `logits`, with probabilities $softmax(logits)$."""
    def ravel(self) -> Tensor:
        """Flatten to one dimension, in row-major order."""
    def real(self) -> Tensor:
        """The real part; real tensors are returned unchanged."""
    def reciprocal(self) -> Tensor:
        """$1 / x$, element by element."""
    def redistribute(self, dst_dtensor_info) -> Tensor:
        """Place a Tensor by `dst_dtensor_info`, a `DistributedTensorInfo`, which becomes its `_dtensor_info`; see `reshard`."""
    def register_hook(self, hook_fn) -> Any:
        """Call `hook_fn(grad)` when a derivative has computed this tensor's whole gradient."""
    @overload
    def remainder(self, other) -> Tensor:
        r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
    @overload
    def remainder(self, divisor) -> Tensor:
        r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
    def remainder_(self, *args, **kwargs) -> Tensor:
        """Apply `remainder` in place."""
    @staticmethod
    def remove_hook(hook) -> None:
        """Remove a hook by the handle that `register_hook` returned."""
    def renorm(self, p, axis, maxnorm) -> Tensor:
        """Scale each slice along `axis` down so that its `p`-norm is at most `maxnorm`."""
    def repeat(self, *counts, repeats=None, axis=None) -> Tensor:
        """Repeat the tensor `repeats[i]` times along dimension `i`, as `tile`; with `axis`, repeat each element along it, as `ops.repeat_interleave`."""
    @overload
    def repeat_interleave(self, repeats, dim=None, *, output_size=None) -> Tensor:
        """Repeat each element `repeats` times along `axis`; of the flattened input if that is None."""
    @overload
    def repeat_interleave(self, repeats, axis=None) -> Tensor:
        """Repeat each element `repeats` times along `axis`; of the flattened input if that is None."""
    def requires_grad_(self, requires_grad=True) -> Tensor:
        """Set whether derivatives with respect to this tensor are taken; if not, they are zero."""
    def reshape(self, *dims, shape=None) -> Tensor:
        """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
    def reshape_as(self, other) -> Tensor:
        """Reshape `input` to the shape of `other`."""
    def resize(self, *new_shape) -> Tensor:
        """Return the elements in row-major order in another shape, truncated or padded with zeros."""
    def reverse(self, axis) -> Tensor:
        """Reverse the order of the elements along `dims`, an int or a tuple of ints."""
    def reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0) -> Tensor:
        """Reverse the first `seq_lengths` elements along `seq_dim`, for each of a batch."""
    def roll(self, shifts, dims=None) -> Tensor:
        """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in one dimension."""
    def rot90(self, k, dims) -> Tensor:
        """Rotate by `k` right angles, from the first of `dims` toward the second."""
    def round(self, decimals=0) -> Tensor:
        """Round to `decimals` places; halves go to the even neighbour."""
    def rsqrt(self) -> Tensor:
        r"""$1 / \sqrt{x}$, element by element."""
    @overload
    def scatter(self, dim, index, src, reduce='none') -> Tensor:
        """The tensor with the elements at `index` along `axis` replaced by `src`; see `ops.scatter`."""
    @overload
    def scatter(self, axis, index, src) -> Tensor: ...
    @overload
    def scatter_(self, dim, index, src, reduce='none') -> Tensor:
        """`scatter` in place."""
    @overload
    def scatter_(self, dim, index, value, reduce='none') -> Tensor: ...
    @overload
    def scatter_add(self, dim, index, src) -> Tensor:
        """`input` with `src` added to the elements at `index` along `dim`."""
    @overload
    def scatter_add(self, indices, updates) -> Tensor: ...
    def scatter_add_(self, dim, index, src) -> Tensor:
        """`scatter_add` in place."""
    def scatter_div(self, indices, updates) -> Tensor:
        """Return `input_x` where `updates` divide the slice that each row of `indices` selects."""
    def scatter_max(self, indices, updates) -> Tensor:
        """Return `input_x` where `updates` replace, if larger, the slice that each row of `indices` selects."""
    def scatter_min(self, indices, updates) -> Tensor:
        """Return `input_x` where `updates` replace, if smaller, the slice that each row of `indices` selects."""
    def scatter_mul(self, indices, updates) -> Tensor:
        """Return `input_x` where `updates` multiply the slice that each row of `indices` selects."""
    def scatter_sub(self, indices, updates) -> Tensor:
        """Return `input_x` where `updates` are taken off the slice that each row of `indices` selects."""
    def searchsorted(self, v, side='left', sorter=None) -> Tensor:
        """Return the insertion points of `v` in the sorted tensor, Int32; see `ops.searchsorted`."""
    @overload
    def select(self, dim, index) -> Tensor:
        """The slice at `index` along `dim`, which is removed; if called with a Tensor `condition` and `y`, the Tensor where `condition` is nonzero, else `y`."""
    @overload
    def select(self, condition, y) -> Tensor: ...
    def select_scatter(self, src, axis, index) -> Tensor:
        """`input` with `src` at `index` along `axis`."""
    def set_(self, source=None, storage_offset=0, size=None, stride=None) -> Tensor:
        """Move the tensor to other memory, which it then shares: the memory of `source`, a Tensor or an `UntypedStorage`. The tensors that it shared memory with keep theirs."""
    def set_cast_dtype(self, dtype=None) -> None:
        """Accepted, without effect: a Cell sets the dtype of its computations (`Cell.to_float`)."""
    def set_const_arg(self, const_arg=True) -> Tensor:
        """Keep a bool as `const_arg`; returns the tensor. In a captured function, tensors are inputs in any case."""
    def set_device_address(self, address, shape, dtype) -> None:
        """Fill the tensor with a copy of the elements at an address in host memory, in row-major order."""
    def set_init_flag(self, flag) -> None:
        """Set the bool that `is_init` returns."""
    def set_param_info(self, param_info) -> None:
        """Keep an object as `param_info`; ignored for a Parameter, which is its own."""
    def sgn(self) -> Tensor:
        """The sign: for a complex number, the number of modulus 1 in its direction; 0 for 0."""
    def short(self) -> Tensor:
        """The tensor in Int16."""
    def sigmoid(self) -> Tensor:
        """$1 / (1 + e^{-x})$, element by element."""
    def sigmoid_(self) -> Tensor:
        """Apply `sigmoid` in place."""
    def sign(self) -> Tensor:
        """-1, 0 or 1, the sign of $x$; 0 of NaN, element by element."""
    def sign_(self) -> Tensor:
        """Apply `sign` in place."""
    def signbit(self) -> Tensor:
        """True where $x < 0$, element by element."""
    def sin(self) -> Tensor:
        r"""$\sin x$, element by element."""
    def sinc(self) -> Tensor:
        r"""$\sin(\pi x) / (\pi x)$, and 1 at 0, element by element."""
    def sinh(self) -> Tensor:
        r"""$\sinh x$, element by element."""
    def slice_scatter(self, src, axis=0, start=None, end=None, step=1) -> Tensor:
        """`input` with `src` at `start:end:step` along `axis`."""
    def slogdet(self) -> builtins.tuple[Tensor, ...]:
        """The sign of each matrix' determinant, and the logarithm of its modulus."""
    def soft_shrink(self, lambd=0.5) -> Tensor:
        r"""Soft thresholding: $x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
    def softmax(self, axis, dtype=None) -> Tensor:
        r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given."""
    @overload
    def sort(self, axis=-1, descending=False) -> builtins.tuple[Tensor, ...]:
        """Sort along `axis`; returns the elements and their former indices (Int32)."""
    @overload
    def sort(self, dim=-1, descending=False, stable=False) -> builtins.tuple[Tensor, ...]:
        """Sort along `axis`; returns the elements and their former indices (Int32)."""
    @overload
    def split(self, split_size, dim=0) -> builtins.tuple[Tensor, ...]:
        """Split along `axis` into a tuple: one size (the last may be smaller), or the listed sizes."""
    @overload
    def split(self, split_size_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
        """Split along `axis` into a tuple: one size (the last may be smaller), or the listed sizes."""
    def sqrt(self) -> Tensor:
        r"""$\sqrt{x}$, element by element."""
    def square(self) -> Tensor:
        """$x^2$, element by element."""
    def squeeze(self, *axis, **keyword) -> Tensor:
        """Remove dimensions of size 1; see `ops.squeeze`."""
    @overload
    def std(self, axis=None, ddof=0, keepdims=False) -> Tensor:
        """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def std(self, dim=None, *, correction=1, keepdim=False) -> Tensor:
        """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
    def storage(self) -> Any:
        """As `untyped_storage`."""
    def storage_offset(self) -> builtins.int:
        """Return the index of the first element in the tensor's (possibly shared) memory."""
    def stride(self, dim=None) -> Any:
        """Return the strides in elements, as a list, or the stride of dimension `dim`."""
    @property
    def strides(self) -> builtins.tuple:
        """Strides in bytes, one per dimension."""
    @overload
    def sub(self, other, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    @overload
    def sub(self, y, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    def sub_(self, *args, **kwargs) -> Tensor:
        """Apply `sub` in place."""
    def subtract(self, other, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    @overload
    def sum(self, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:
        r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
    @overload
    def sum(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
    def sum_to_size(self, *size) -> Tensor:
        """Sum over dimensions to the shape `size`, which must broadcast to the tensor's shape."""
    def svd(self, full_matrices=False, compute_uv=True) -> Tensor:
        r"""$A = u \, diag(s) \, v^H$ of each matrix `(*, m, n)`: (s, u, v), or s if not `compute_uv`."""
    def swapaxes(self, axis0, axis1) -> Tensor:
        """Swap two dimensions."""
    def swapdims(self, dim0, dim1) -> Tensor:
        """Swap two dimensions."""
    @property
    def symbolic_shape(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def t(self) -> Tensor:
        """Swap the rows and columns of a matrix; with fewer dimensions, return the tensor itself."""
    def take(self, indices=None, axis=None, mode='clip', *, index=None) -> Tensor:
        """The elements (with `axis`, the slices along it) at `indices`."""
    def tan(self) -> Tensor:
        r"""$\tan x$, element by element."""
    def tanh(self) -> Tensor:
        r"""$\tanh x$, element by element."""
    def tanh_(self) -> Tensor:
        """Apply `tanh` in place."""
    def tensor_split(self, indices_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
        """Split along `axis` into a tuple: so many pieces (the first larger by one), or at indices."""
    def tile(self, *counts, dims=None, reps=None) -> Tensor:
        """Repeat the tensor `reps[i]` times along dimension `i`; see `ops.tile`."""
    def to(self, dtype=None, non_blocking=False, copy=False, *, device=None, other=None) -> Tensor:
        """Cast the tensor to `dtype`, or to the dtype of `other` if it is a Tensor; XLA chooses the device."""
    def to_(self, device=None, non_blocking=False) -> Tensor:
        """Return the tensor itself. `device`: 'Ascend', 'GPU' or 'CPU'; XLA chooses the device."""
    def to_coo(self) -> COOTensor:
        """Convert the nonzero elements of a matrix to a `COOTensor`. The shapes depend on the values, so this call runs the pending operations."""
    def to_csr(self) -> CSRTensor:
        """Convert the nonzero elements of a matrix to a `CSRTensor`; see `to_coo`."""
    def to_dlpack(self) -> Any:
        """Return a DLPack capsule of the tensor's memory, for another library's `from_dlpack`."""
    def top_k(self, k, sorted=True) -> builtins.tuple[Tensor, ...]:
        """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their indices (Int32): a pair."""
    def topk(self, k, dim=-1, largest=True, sorted=True) -> builtins.tuple[Tensor, ...]:
        """The `k` largest (or smallest) elements along `dim` (the last by default), sorted, and their indices (Int32): a pair."""
    def trace(self, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
        """The sum of a matrix's diagonal; the method takes an `offset` above the main one, and the planes of `axis1` and `axis2`."""
    def transpose(self, *axes, dim0=None, dim1=None) -> Tensor:
        """Swap the two given dimensions; with one sequence, or more than two ints, put all dimensions in that order; without arguments, in reverse."""
    def triangular_solve(self, A, upper=True, transpose=False, unitriangular=False) -> builtins.tuple[Tensor, ...]:
        """Return (X, A) with A X = b for a triangular A `(*, n, n)`; `transpose`: with its transpose."""
    def tril(self, diagonal=0) -> Tensor:
        """The lower triangle of the last two dimensions, zeros above `diagonal`."""
    def triu(self, diagonal=0) -> Tensor:
        """The upper triangle of the last two dimensions, zeros below `diagonal`."""
    def true_divide(self, other) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def trunc(self) -> Tensor:
        """$x$ rounded toward zero, element by element."""
    def type(self, dtype=None) -> Any:
        """Return the name of the dtype, or the tensor cast to `dtype`."""
    def type_as(self, other) -> Tensor:
        """Cast `input` to the dtype of `other`."""
    def unbind(self, dim=0) -> builtins.tuple[Tensor, ...]:
        """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
    def unfold(self, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being the number of windows."""
    def uniform(self, from_=0.0, to=1.0, generator=None) -> Tensor:
        """Draw uniformly from [from_, to), in the shape and dtype of `input`."""
    def uniform_(self, from_=0, to=1, *, generator=None) -> Tensor:
        """Fill the tensor with numbers drawn uniformly from [from_, to)."""
    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None) -> Tensor:
        """The distinct elements (along `dim`, the distinct slices), sorted; then, if requested, each element's index among them and their counts, Int64."""
    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None) -> Any:
        """The elements (along `dim`, the slices) that differ from the previous one; then, if requested, the index among them of each element and their repetition counts, Int64."""
    def unique_with_pad(self, pad_num) -> builtins.tuple[Tensor, ...]:
        """The distinct elements in order of first appearance, padded with `pad_num`, and each element's index among them: a pair, of the vector's size and dtype."""
    def unsorted_segment_max(self, segment_ids, num_segments) -> Tensor:
        """The largest of the slices of `x` with equal `segment_ids`, for each segment."""
    def unsorted_segment_min(self, segment_ids, num_segments) -> Tensor:
        """The smallest of the slices of `x` with equal `segment_ids`, for each segment."""
    def unsorted_segment_prod(self, segment_ids, num_segments) -> Tensor:
        """The product of the slices of `x` with equal `segment_ids`, for each segment."""
    def unsorted_segment_sum(self, segment_ids, num_segments) -> Tensor:
        """The sum of the slices of `input_x` with equal `segment_ids`, for each segment."""
    @overload
    def unsqueeze(self, dim) -> Tensor:
        """Insert a dimension of size 1 at `axis`."""
    @overload
    def unsqueeze(self, axis) -> Tensor:
        """Insert a dimension of size 1 at `axis`."""
    def untyped_storage(self) -> Any:
        """The memory that the tensor shares with others, an `UntypedStorage`."""
    @overload
    def var(self, axis=None, ddof=0, keepdims=False) -> Tensor:
        r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def var(self, dim=None, *, correction=1, keepdim=False) -> Tensor:
        r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
    def view(self, *shape, **keyword) -> Tensor:
        """The elements, in row-major order, in another shape, or, with a dtype, their bytes as elements of that dtype: a view of the same memory."""
    def view_as(self, other) -> Tensor:
        """Reshape `input` to the shape of `other`."""
    @property
    def virtual_flag(self) -> Tensor:
        """A flag of MindSpore's runtime, False at first; it changes nothing here."""
    def vsplit(self, indices_or_sections) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` along axis 0."""
    def wait_pipeline(self) -> None:
        """Block until the elements are computed."""
    @overload
    def where(self, condition, y) -> Tensor:
        """`input` where `condition` is nonzero, else `other`, all broadcast together."""
    @overload
    def where(self, condition, other) -> Tensor:
        """`input` where `condition` is nonzero, else `other`, all broadcast together."""
    def xdivy(self, y) -> Tensor:
        """$x / y$, and 0 where `x` is 0; broadcast together."""
    def xlogy(self, other) -> Tensor:
        r"""$input \cdot \ln other$, and 0 where `input` is 0."""
    def zero_(self) -> Tensor:
        """Set every element to zero."""
