"""Tensor's methods; written by tools/write_stubs.py."""

from collections.abc import Iterator
from sporax.core.tensor import Tensor as Tensor
from sporax.core.to_host import Reading as Reading
from sporax.ops.sparse.tensors import COOTensor as COOTensor
from sporax.ops.sparse.tensors import CSRTensor as CSRTensor
from typing import Any
from typing import overload
import builtins

class Attached(Reading):
    @property
    def H(self) -> Tensor:
        """A matrix, transposed and conjugated; ValueError for another number of dimensions."""
    @property
    def T(self) -> Tensor:
        """The tensor with its dimensions in reverse order."""
    def __abs__(self) -> Tensor:
        """$|x|$, element by element."""
    def __add__(self, other) -> Tensor:
        """`+`"""
    def __and__(self, other) -> Tensor: ...
    def __array_function__(self, function, types, args, kwargs) -> Tensor:
        """What NumPy calls for `function(*args, **kwargs)` with Tensors among the arguments."""
    def __dlpack__(self, **options) -> Any:
        """The tensor's memory as a capsule, for `from_dlpack` of PyTorch, NumPy and JAX."""
    def __dlpack_device__(self) -> builtins.tuple:
        """The type and the number of the device, as DLPack counts them."""
    def __eq__(self, other) -> Tensor: ...
    def __floordiv__(self, other) -> Tensor:
        """`//`"""
    def __ge__(self, other) -> Tensor: ...
    def __getitem__(self, index) -> Tensor:
        """`self[index]`, as in NumPy; see this module for indices out of range, masks and writing."""
    def __gt__(self, other) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __iter__(self) -> Iterator[Tensor]:
        """The tensors along the first dimension."""
    def __le__(self, other) -> Tensor: ...
    def __lt__(self, other) -> Tensor: ...
    def __matmul__(self, other) -> Tensor:
        """`a @ b`"""
    def __mod__(self, other) -> Tensor:
        """`%`"""
    def __mul__(self, other) -> Tensor:
        """`*`"""
    def __ne__(self, other) -> Tensor: ...
    def __neg__(self) -> Tensor:
        """$-x$, element by element."""
    def __or__(self, other) -> Tensor: ...
    def __pos__(self) -> Tensor:
        """$x$ itself, element by element."""
    def __pow__(self, exponent) -> Tensor:
        """$input^{exponent}$, broadcast together."""
    def __radd__(self, other) -> Tensor:
        """`+`"""
    def __rand__(self, other) -> Tensor: ...
    def __rfloordiv__(self, other) -> Tensor:
        """`//`"""
    def __rmatmul__(self, other) -> Tensor:
        """`a @ b`"""
    def __rmod__(self, other) -> Tensor:
        """`%`"""
    def __rmul__(self, other) -> Tensor:
        """`*`"""
    def __ror__(self, other) -> Tensor: ...
    def __round__(self, decimals=0) -> Tensor: ...
    def __rpow__(self, other) -> Tensor:
        """`**`"""
    def __rsub__(self, other) -> Tensor:
        """`-`"""
    def __rtruediv__(self, other) -> Tensor:
        """`/`"""
    def __rxor__(self, other) -> Tensor: ...
    def __setitem__(self, index, value) -> None:
        """`self[index] = value`, broadcast to what the index takes and converted to this dtype."""
    def __sub__(self, other) -> Tensor:
        """`-`"""
    def __truediv__(self, other) -> Tensor:
        """`/`"""
    def __xor__(self, other) -> Tensor: ...
    def _data_ptr(self) -> builtins.int:
        """The address of the elements on the device, for comparing."""
    def _load(self, *args, **kwargs) -> None:
        """Without effect: tensors live where XLA keeps them, and nothing is moved by hand."""
    def _offload(self, *args, **kwargs) -> None:
        """Without effect: tensors live where XLA keeps them, and nothing is moved by hand."""
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
        """`add` put into the tensor itself."""
    def addbmm(self, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \sum_b batch1_b \, batch2_b$."""
    def addcdiv(self, tensor1, tensor2, *, value=1) -> Tensor:
        r"""$input + value \cdot tensor1 / tensor2$."""
    def addcmul(self, tensor1, tensor2, value=1) -> Tensor:
        r"""$input + value \cdot tensor1 \cdot tensor2$."""
    def addmm(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ for matrices."""
    def addmm_(self, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ put into the tensor itself."""
    def addmv(self, mat, vec, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot mat \, vec$ for a matrix and a vector."""
    def addr(self, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot x + \alpha \cdot vec1 \, vec2^\top$ for vectors."""
    def adjoint(self) -> Tensor:
        """The last two axes swapped, and conjugated."""
    @overload
    def all(self, axis=None, keep_dims=False) -> Tensor:
        """Whether all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
    @overload
    def all(self, dim=None, keepdim=False) -> Tensor:
        """Whether all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> builtins.bool:
        """Whether all elements are close, as `isclose` says: a Python bool."""
    def amax(self, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
        """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
    def amin(self, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
        """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
    def aminmax(self, *, axis=0, keepdims=False) -> builtins.tuple[Tensor, ...]:
        """The least and the greatest elements along `axis` (None: of all)."""
    def angle(self) -> Tensor:
        r"""The angle $\operatorname{atan2}(b, a)$ of $a + b i$; 0 or $\pi$ for a real number."""
    @overload
    def any(self, axis=None, keep_dims=False) -> Tensor:
        """Whether some element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
    @overload
    def any(self, dim=None, keepdim=False) -> Tensor:
        """Whether some element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
    def approximate_equal(self, other, tolerance=1e-05) -> Tensor:
        """Whether $|x - y|$ is less than `tolerance`."""
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
        """The indices (Int32) that put the elements in order along `axis`."""
    @overload
    def argsort(self, dim=-1, descending=False, stable=False) -> Tensor:
        """The indices (Int32) that put the elements in order along `axis`."""
    def argwhere(self) -> Tensor:
        """The places of what is not zero, as rows: Int64."""
    def asin(self) -> Tensor:
        r"""$\arcsin x$, element by element."""
    def asinh(self) -> Tensor:
        r"""$\operatorname{arsinh} x$, element by element."""
    def assign_value_cpp(self, value) -> Tensor:
        """As `assign_value`."""
    def astype(self, dtype, copy=True) -> Tensor:
        """The tensor in another dtype; see `ops.cast`. `copy=False`: itself if it has that dtype."""
    def atan(self) -> Tensor:
        r"""$\arctan x$, element by element."""
    def atan2(self, other) -> Tensor:
        r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
    def atanh(self) -> Tensor:
        r"""$\operatorname{artanh} x$, element by element."""
    def baddbmm(self, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
        r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch."""
    def bernoulli(self, *, generator=None) -> Tensor:
        """1 with a probability, else 0, in the shape and dtype of `input`."""
    def bernoulli_(self, p=0.5, *, generator=None) -> Tensor:
        """The tensor filled with 1 with probability `p` (a number or Tensor), else 0."""
    def bfloat16(self) -> Tensor:
        """The tensor in BFloat16."""
    def bincount(self, weights=None, minlength=0) -> Tensor:
        """How often each int from 0 on occurs in a vector: Float32, at least `minlength` numbers."""
    def bitwise_and(self, other) -> Tensor:
        r"""$input \land other$, element by element, bit by bit, broadcast together."""
    def bitwise_left_shift(self, other) -> Tensor:
        r"""$input \cdot 2^{other}$ of integers; broadcast together."""
    def bitwise_not(self) -> Tensor:
        """Every bit turned over; on Bool, "not"."""
    def bitwise_or(self, other) -> Tensor:
        r"""$input \lor other$, element by element, bit by bit, broadcast together."""
    def bitwise_right_shift(self, other) -> Tensor:
        r"""$\lfloor input / 2^{other} \rfloor$ of integers; broadcast together."""
    def bitwise_xor(self, other) -> Tensor:
        r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
    def bmm(self, mat2) -> Tensor:
        """`matmul` of two batches of matrices, with the same axes before the last two."""
    def broadcast_to(self, *shape, size=None) -> Tensor:
        """The tensor repeated to fill a shape; see `ops.broadcast_to`."""
    def byte(self) -> Tensor:
        """The tensor in UInt8."""
    def cauchy(self, median=0.0, sigma=1.0) -> Tensor:
        r"""Numbers of density $\sigma / (\pi ((x - median)^2 + \sigma^2))$, shaped as `input`."""
    def ceil(self) -> Tensor:
        r"""$\lceil x \rceil$, element by element."""
    def cholesky(self, upper=False) -> Tensor:
        """The triangle $L$ with $L L^T = input$, a positive definite matrix (`upper`: $L^T$)."""
    def cholesky_inverse(self, upper=False) -> Tensor:
        r"""$(L L^\top)^{-1}$ of a triangle L, or $(U^\top U)^{-1}$ where `upper`."""
    def cholesky_solve(self, input2, upper=False) -> Tensor:
        r"""X with $L L^\top X = input$, `input2` being the triangle L (`upper`: $L^\top$)."""
    def choose(self, choices, mode='clip') -> Tensor:
        """At each place the element of `choices[i]`, where the tensor's there is `i`; broadcast together."""
    @overload
    def chunk(self, chunks, dim=0) -> builtins.tuple[Tensor, ...]:
        """At most `chunks` pieces of one size along `axis` (the last may be smaller), a tuple."""
    @overload
    def chunk(self, chunks, axis=0) -> builtins.tuple[Tensor, ...]:
        """At most `chunks` pieces of one size along `axis` (the last may be smaller), a tuple."""
    def clamp(self, min=None, max=None) -> Tensor:
        """Each element kept between `min` and `max` (numbers, Tensors or None for no bound)."""
    def clamp_(self, min=None, max=None) -> Tensor:
        """`clamp` put into the tensor itself."""
    def clip(self, min=None, max=None) -> Tensor:
        """Each element kept between `min` and `max` (numbers, Tensors or None for no bound)."""
    def clone(self) -> Tensor:
        """A tensor of the same contents, which goes its own way from here; derivatives go through."""
    def col2im(self, output_size, kernel_size, dilation, padding_value, stride) -> Tensor:
        """As `fold`, of `(N, C, kh kw, L)`."""
    def conj(self) -> Tensor:
        """$a - b i$ for $a + b i$; what is real stays as it is."""
    def contiguous(self) -> Tensor:
        """The tensor itself if its elements follow one another row by row, else a copy."""
    def copy(self) -> Tensor:
        """A tensor of the same contents, which goes its own way from here; derivatives go through."""
    def copy_(self, src, non_blocking=False) -> Tensor:
        """The contents of `src` put into the tensor."""
    def copysign(self, other) -> Tensor:
        """$|input|$ with the sign of `other`; broadcast together."""
    def cos(self) -> Tensor:
        r"""$\cos x$, element by element."""
    def cosh(self) -> Tensor:
        r"""$\cosh x$, element by element."""
    @overload
    def count_nonzero(self, dim=None) -> Tensor:
        """How many elements along `axis` (`()`: of all) are not zero."""
    @overload
    def count_nonzero(self, axis=(), keep_dims=False, dtype=...) -> Tensor:
        """How many elements along `axis` (`()`: of all) are not zero."""
    def cov(self, *, correction=1, fweights=None, aweights=None) -> Tensor:
        """Covariances of the variables in the rows of `(n, m)`: `(n, n)`; of one, a number."""
    def cross(self, other, dim=None) -> Tensor:
        """The vector product of vectors of three elements along `dim` (None: the first of size 3)."""
    def cummax(self, axis) -> builtins.tuple[Tensor, ...]:
        """The largest element so far along `axis`, and its index (Int64)."""
    def cummin(self, axis) -> builtins.tuple[Tensor, ...]:
        """The smallest element so far along `axis`, and its index (Int32)."""
    def cumprod(self, dim, dtype=None) -> Tensor:
        r"""$y_i = \prod_{j \leq i} x_j$ along `dim`; integers are multiplied in Int64."""
    @overload
    def cumsum(self, axis=None, dtype=None) -> Tensor:
        """The sums so far along `axis`, or of all elements; small integers are summed in Int32."""
    @overload
    def cumsum(self, dim, *, dtype=None) -> Tensor: ...
    def data_ptr(self) -> builtins.int:
        """The address of the elements on the device, for comparing."""
    def deg2rad(self) -> Tensor:
        r"""$\pi x / 180$, element by element."""
    def delete_(self, non_blocking=False) -> Tensor:
        """Free the memory of the elements, which are 0 from now on; returns the tensor."""
    def det(self) -> Tensor:
        """The determinant of each matrix in the last two dimensions."""
    def diag(self) -> Tensor:
        """The elements of `input` on the diagonal of twice as many dimensions, zeros elsewhere."""
    def diagflat(self, offset=0) -> Tensor:
        """A matrix with all elements of `input` on the diagonal `offset` above the main one."""
    def diagonal(self, offset=0, axis1=0, axis2=1) -> Tensor:
        """The diagonal of two dimensions, `offset` above the main one; it comes last."""
    def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1) -> Tensor:
        """`input` with the diagonal `offset` of the planes of `dim1` and `dim2` from `src`."""
    def diff(self, n=1, axis=-1, prepend=None, append=None) -> Tensor:
        """Differences of neighbours along `axis`, `n` times; of what is put before and after it too."""
    def digamma(self) -> Tensor:
        r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; an infinity at 0."""
    def div(self, other, *, rounding_mode=None) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def div_(self, *args, **kwargs) -> Tensor:
        """`div` put into the tensor itself."""
    def divide(self, other, *, rounding_mode=None) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def dot(self, other) -> Tensor:
        r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one."""
    def double(self) -> Tensor:
        """The tensor in Float64."""
    def dsplit(self, indices_or_sections) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` along axis 2."""
    def eigvals(self) -> Tensor:
        """Eigenvalues of each matrix `(*, n, n)`: complex, in any order. On a CPU only."""
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
        """`erfinv` put into the tensor itself."""
    def exp(self) -> Tensor:
        """$e^{x}$, element by element."""
    def exp2(self) -> Tensor:
        """$2^x$, element by element."""
    def exp_(self) -> Tensor:
        """`exp` put into the tensor itself."""
    def expand(self, *shape, size=None) -> Tensor:
        """The tensor repeated to fill a shape; see `ops.broadcast_to`."""
    @overload
    def expand_as(self, other) -> Tensor:
        """`input` broadcast to the shape of `other`."""
    @overload
    def expand_as(self, x) -> Tensor:
        """`input` broadcast to the shape of `other`."""
    def expand_dims(self, axis) -> Tensor:
        """A dimension of size 1 put in at `axis`."""
    def expm1(self) -> Tensor:
        """$e^x - 1$, element by element."""
    def exponential_(self, lambd=1, *, generator=None) -> Tensor:
        r"""The tensor filled with numbers of density $\lambda e^{-\lambda x}$."""
    def fill(self, value) -> Tensor:
        """`fill_value` in the shape of `input`, in its dtype unless another is given."""
    def fill_(self, value) -> Tensor:
        """Every element set to `value`."""
    def fill_diagonal(self, fill_value, wrap=False) -> Tensor:
        """`input` with `fill_value` on its main diagonal: where all indices are equal."""
    def fill_diagonal_(self, fill_value, wrap=False) -> Tensor:
        """`fill_diagonal` put into the tensor itself."""
    def fills(self, value) -> Tensor:
        """`fill_value` in the shape of `input`, in its dtype unless another is given."""
    def flatten(self, start_dim=0, end_dim=-1, *, order='C') -> Tensor:
        """The dimensions from `start_dim` to `end_dim` merged into one; all of them by default."""
    def flip(self, *dims) -> Tensor:
        """The tensor with the order along `dims` turned round; see `ops.flip`."""
    def fliplr(self) -> Tensor:
        """Columns in reverse order."""
    def flipud(self) -> Tensor:
        """Rows in reverse order."""
    def float_power(self, other) -> Tensor:
        """$input^{exponent}$, computed in Float64."""
    def floor(self) -> Tensor:
        r"""$\lfloor x \rfloor$, element by element."""
    def floor_(self) -> Tensor:
        """`floor` put into the tensor itself."""
    def floor_divide(self, other) -> Tensor:
        r"""$\lfloor input / other \rfloor$, broadcast together; no derivative goes through."""
    def floor_divide_(self, *args, **kwargs) -> Tensor:
        """`floor_divide` put into the tensor itself."""
    def flush_from_cache(self) -> None:
        """Without effect: there is no cache between a tensor and its memory."""
    def fmax(self, other) -> Tensor:
        """The greater one, or the other one if one is NaN; broadcast together."""
    def fmin(self, other) -> Tensor:
        """The lesser one, or the other one if one is NaN; broadcast together."""
    def fmod(self, other) -> Tensor:
        """The remainder of a division rounded toward zero, with the dividend's sign."""
    def fold(self, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """Windows as columns put together, summed where they overlap: the transpose of `unfold`."""
    def frac(self) -> Tensor:
        r"""$x - \operatorname{trunc}(x)$, element by element."""
    @staticmethod
    def from_dlpack(dlpack) -> Tensor:
        """A Tensor of the memory of another library's array: a PyTorch tensor, a NumPy or JAX array, or what their `to_dlpack` gives."""
    @overload
    def gather(self, input_indices, axis, batch_dims=0) -> Tensor:
        """The slices along `axis` at `input_indices`, or by (dim, index) one element for each index."""
    @overload
    def gather(self, dim, index) -> Tensor: ...
    def gather_elements(self, dim, index) -> Tensor:
        """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, and likewise: one element for each index."""
    def gather_nd(self, indices) -> Tensor:
        """What each row of `indices` (its last dimension) points to, from the first dimension on."""
    def gcd(self, other) -> Tensor:
        """The greatest common divisor of integers; broadcast together."""
    def ge(self, other) -> Tensor:
        r"""$input \geq other$, element by element: Bool, broadcast together."""
    def geqrf(self) -> builtins.tuple[Tensor, ...]:
        """R above the diagonal, and below it Householder's reflections whose product is Q, with their factors: as LAPACK has them."""
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
        """How many elements are in each of `bins` equal parts from `min` to `max`, in its dtype (of 16 bits: in Float32)."""
    def hooks(self) -> builtins.list:
        """The functions registered by `register_hook`."""
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
        """The imaginary part; zeros for what is real."""
    def index(self, value) -> Tensor:
        """The elements at index Tensors, one for each of the first axes, broadcast together."""
    @overload
    def index_add(self, dim, index, source, *, alpha=1) -> Tensor:
        r"""`x`, where $alpha \cdot source$ has been added to the slices along `dim` that `index` names."""
    @overload
    def index_add(self, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor: ...
    def index_add_(self, dim, index, source, *, alpha=1) -> Tensor:
        r"""$alpha \cdot source$ added to the slices along `dim` that `index` names, in the tensor itself."""
    def index_copy_(self, dim, index, tensor) -> Tensor:
        """The slices of `tensor` along `dim` put into the tensor itself at `index`."""
    def index_fill(self, axis, index, value) -> Tensor:
        """`x` with `value` in the slices along `axis` that `index` names."""
    def index_fill_(self, dim, index, value) -> Tensor:
        """`value` put into the slices along `dim` that `index` names, in the tensor itself."""
    @property
    def index_of_parent_(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def index_put(self, indices, values, accumulate=False) -> Tensor:
        """`input` with `values` at `indices`: a Tensor of integers, or a Bool mask, for each of the first axes, broadcast together. `accumulate`: added to what is there."""
    def index_put_(self, indices, values, accumulate=False) -> Tensor:
        """`index_put` put into the tensor itself."""
    @overload
    def index_select(self, axis, index) -> Tensor:
        """The slices along `axis` that the one-dimensional `index` names."""
    @overload
    def index_select(self, dim, index) -> Tensor:
        """The slices along `axis` that the one-dimensional `index` names."""
    @property
    def init_finished(self) -> builtins.bool:
        """Whether the numbers are there, not only an initializer to draw them."""
    def inner(self, other) -> Tensor:
        r"""$\sum_k a_{\ldots k} b_{\ldots k}$: the product over both last axes."""
    def inplace_update(self, v, indices) -> Tensor:
        """`x` with row `indices[i]` replaced by `v[i]`."""
    def inv(self) -> Tensor:
        """$1 / x$, element by element; of integers rounded toward zero, in their dtype."""
    def inverse(self) -> Tensor:
        """The inverse of each matrix in the last two dimensions."""
    def invert(self) -> Tensor:
        """Every bit turned over; on Bool, "not"."""
    def is_complex(self) -> builtins.bool:
        """Whether the dtype is complex, a bool."""
    def is_contiguous(self) -> builtins.bool:
        """Whether the elements follow one another in memory, row by row."""
    def is_floating_point(self) -> builtins.bool:
        """Whether the dtype is floating, a bool."""
    def is_init(self) -> builtins.bool:
        """The flag of `set_init_flag`; False at first."""
    @property
    def is_meta(self) -> Tensor:
        """A flag of MindSpore's runtime, False at first; it changes nothing here."""
    def is_pinned(self) -> builtins.bool:
        """Whether the elements are in pages of the host that stay in place for a device: False."""
    def is_shared(self) -> builtins.bool:
        """Whether other processes see the elements: False."""
    def is_signed(self) -> builtins.bool:
        """Whether the dtype has negative numbers, a bool."""
    @overload
    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        r"""Whether $|input - other| \leq atol + rtol \cdot |other|$, element by element: Bool."""
    @overload
    def isclose(self, x2, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
        r"""Whether $|input - other| \leq atol + rtol \cdot |other|$, element by element: Bool."""
    def isfinite(self) -> Tensor:
        """Whether $x$ is finite, element by element."""
    def isinf(self) -> Tensor:
        """Whether $x$ is infinite, element by element."""
    def isnan(self) -> Tensor:
        """Whether $x$ is not a number, element by element."""
    def isneginf(self) -> Tensor:
        r"""Whether $x = -\infty$, element by element."""
    def isposinf(self) -> Tensor:
        r"""Whether $x = \infty$, element by element."""
    def isreal(self) -> Tensor:
        """Whether the imaginary part is zero."""
    def itemset(self, *args) -> Tensor:
        """A new tensor, where an element is replaced: `itemset(value)` for a tensor of one element, `itemset(index, value)` with an int (counted row by row) or a tuple of ints."""
    def kthvalue(self, k, dim=-1, keepdim=False) -> builtins.tuple[Tensor, ...]:
        """The `k`-th smallest element along `dim`, k from 1, and its index (Int64): a pair. NaN comes last."""
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
        """`log` put into the tensor itself."""
    def log_matrix_determinant(self) -> builtins.tuple[Tensor, ...]:
        """The sign of each matrix' determinant, and the logarithm of its modulus."""
    def log_normal(self, mean=1.0, std=2.0) -> Tensor:
        """$e^z$ for z normal around `mean` with deviation `std`, in the shape and dtype of `input`."""
    def logaddexp(self, other) -> Tensor:
        r"""$\ln(e^{input} + e^{other})$, without overflow."""
    def logaddexp2(self, other) -> Tensor:
        r"""$\log_2(2^{input} + 2^{other})$, without overflow."""
    def logcumsumexp(self, axis) -> Tensor:
        r"""$\ln \sum_{j \le i} e^{x_j}$ along `axis`, without overflow."""
    def logdet(self) -> Tensor:
        """The logarithm of each matrix' determinant: NaN where that is negative, -inf where it is 0."""
    @overload
    def logical_and(self, other) -> Tensor:
        r"""$input \land other$, element by element: Bool, broadcast together."""
    @overload
    def logical_and(self, y) -> Tensor:
        r"""$input \land other$, element by element: Bool, broadcast together."""
    def logical_not(self) -> Tensor:
        """Whether $input = 0$, element by element: Bool."""
    @overload
    def logical_or(self, other) -> Tensor:
        r"""$input \lor other$, element by element: Bool, broadcast together."""
    @overload
    def logical_or(self, y) -> Tensor:
        r"""$input \lor other$, element by element: Bool, broadcast together."""
    def logical_xor(self, other) -> Tensor:
        r"""$input \oplus other$, element by element: Bool, broadcast together."""
    def logit(self, eps=None) -> Tensor:
        r"""$\ln \frac{x}{1 - x}$; `eps`: `input` is first kept in $[eps, 1 - eps]$."""
    @overload
    def logsumexp(self, dim, keepdim=False) -> Tensor:
        r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
    @overload
    def logsumexp(self, axis, keepdims=False) -> Tensor:
        r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
    def long(self) -> Tensor:
        """The tensor in Int64."""
    def lstsq(self, A) -> Tensor:
        r"""X for which $\|A X - B\|$ is least, where A is `input`, `(m, n)`, and B is what MindSpore calls `A`, `(m, k)` or `(m,)`; the shortest one where there are several."""
    def lt(self, other) -> Tensor:
        """$input < other$, element by element: Bool, broadcast together."""
    def lu_solve(self, LU_data, LU_pivots) -> Tensor:
        """X with A X = b, from A's triangles in one matrix `(*, n, n)` and its pivots `(*, n)`, which count from 1."""
    @property
    def mH(self) -> Tensor:
        """The last two axes swapped, and conjugated."""
    @property
    def mT(self) -> Tensor:
        """The tensor with its last two dimensions swapped."""
    def masked_fill(self, mask, value) -> Tensor:
        """`value`, a number or a tensor without dimensions, where the Bool `mask` is True."""
    def masked_fill_(self, mask, value) -> Tensor:
        """`value` put where the Bool `mask` is True; see `ops.masked_fill`."""
    def masked_scatter(self, mask, tensor) -> Tensor:
        """`input` with the elements of `source`, in their order, where `mask` holds."""
    def masked_scatter_(self, mask, source) -> Tensor:
        """`masked_scatter` put into the tensor itself."""
    def masked_select(self, mask) -> Tensor:
        """The elements where the Bool `mask` is True, in one dimension; both are broadcast together."""
    @overload
    def matmul(self, tensor2) -> Tensor:
        r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
    @overload
    def matmul(self, other) -> Tensor:
        r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
    def matrix_determinant(self) -> Tensor:
        """The determinant of each matrix in the last two dimensions."""
    def matrix_power(self, n) -> Tensor:
        """$A^n$ of each matrix; a negative `n` takes the inverse."""
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
        """The lower of the two middle elements along `axis`, and its index (Int64); NaN if there is one."""
    @overload
    def median(self, dim=-1, keepdim=False) -> Any:
        """The lower of the two middle elements along `axis`, and its index (Int64); NaN if there is one."""
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
        """A tensor of the same contents. `to`: 'Ascend', 'GPU' or 'CPU'; the device is XLA's to choose."""
    def moveaxis(self, source, destination) -> Tensor:
        """Dimensions `source` (an int or several) moved to the places `destination`."""
    def movedim(self, source, destination) -> Tensor:
        """Dimensions `source` (an int or several) moved to the places `destination`."""
    def msort(self) -> Tensor:
        """The elements in order along the first axis."""
    def mul(self, other) -> Tensor:
        r"""$input \cdot other$, broadcast together."""
    def mul_(self, *args, **kwargs) -> Tensor:
        """`mul` put into the tensor itself."""
    def multinomial(self, num_samples, replacement=True, seed=None) -> Tensor:
        """`num_samples` indices for each row of `input`, as likely as the row's weights say: Int32."""
    def multiply(self, value) -> Tensor:
        r"""$input \cdot other$, broadcast together."""
    def mvlgamma(self, p) -> Tensor:
        """The logarithm of the gamma function of `p` dimensions."""
    def nan_to_num(self, nan=None, posinf=None, neginf=None) -> Tensor:
        """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities."""
    @overload
    def nanmean(self, axis=None, keepdims=False, *, dtype=None) -> Tensor:
        """The mean along `axis` (None: of all), those that are NaN left out."""
    @overload
    def nanmean(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """The mean along `axis` (None: of all), those that are NaN left out."""
    def nanmedian(self, axis=-1, keepdims=False) -> Any:
        """`median` of the elements that are not NaN."""
    def nanquantile(self, q, axis=None, keepdims=False) -> Tensor:
        """`quantile` of the elements that are not NaN."""
    @overload
    def nansum(self, axis=None, keepdims=False, *, dtype=None) -> Tensor:
        """The sum along `axis` (None: of all), those that are NaN left out."""
    @overload
    def nansum(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """The sum along `axis` (None: of all), those that are NaN left out."""
    @overload
    def narrow(self, dim, start, length) -> Tensor:
        """`length` slices along `axis`, from `start` on."""
    @overload
    def narrow(self, axis, start, length) -> Tensor:
        """`length` slices along `axis`, from `start` on."""
    def ne(self, other) -> Tensor:
        r"""$input \neq other$, element by element: Bool, broadcast together."""
    def neg(self) -> Tensor:
        """$-x$, element by element."""
    def negative(self) -> Tensor:
        """$-x$, element by element."""
    def new_empty(self, size, dtype=None, device=None) -> Tensor:
        """A tensor of shape `size` to be filled, in the tensor's dtype unless another is given: zeros."""
    def new_full(self, size, fill_value, *, dtype=None) -> Tensor:
        """`fill_value` in the shape `size`, in the tensor's dtype unless another is given."""
    def new_ones(self, size, dtype=None) -> Tensor:
        """Ones of shape `size`, in the tensor's dtype unless another is given."""
    def new_zeros(self, size, dtype=None) -> Tensor:
        """Zeros of shape `size`, in the tensor's dtype unless another is given."""
    def nextafter(self, other) -> Tensor:
        """The next number after `input` toward `other`, with the derivative 1 of `input`; broadcast together."""
    def nonzero(self, *, as_tuple=False) -> Tensor:
        """The indices of all nonzero elements, one in a row, Int64; as a tuple of columns if asked."""
    def norm(self, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        """A norm of vectors (`dim`: an int) or matrices (`dim`: a pair of ints)."""
    def normal_(self, mean=0, std=1, *, generator=None) -> Tensor:
        """The tensor filled with numbers normal around `mean` with deviation `std`."""
    def not_equal(self, other) -> Tensor:
        r"""$input \neq other$, element by element: Bool, broadcast together."""
    def offload(self, file_path) -> builtins.bool:
        """Write the elements into a file and free their memory; they are loaded again when they are used. Returns True."""
    def offload_file_path(self) -> builtins.str:
        """The file that keeps the elements since `offload`; '' where they are in memory."""
    def orgqr(self, input2) -> Tensor:
        """The first columns of Q from `geqrf`'s reflections and factors `input2`: `(*, m, n)`."""
    def ormqr(self, input2, input3, left=True, transpose=False) -> Tensor:
        """$Q C$, or without `left` $C Q$, where C is `other` `(*, m, n)` and Q, square, is the product of Householder's reflections as `geqrf` has them: `input` `(*, mn, k)`, below the diagonal, and their factors `tau` `(*, min(mn, k))`. `transpose`: of Q the (conjugate) transpose."""
    def outer(self, vec2) -> Tensor:
        """$a_i b_j$ of two vectors."""
    @property
    def param_info(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    @property
    def parent_tensor_(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def permute(self, *dims, axis=None) -> Tensor:
        """The dimensions in the order of `dims`."""
    def pin_memory(self) -> Tensor:
        """The tensor itself: arrays are where XLA reads them, and move nowhere."""
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
        """The elements of `source` put into the tensor itself, where `index` has the numbers of elements in row-major order. `accumulate`: added to what is there."""
    def qr(self, some=True) -> builtins.tuple[Tensor, ...]:
        """`ops.qr`; `some`: of the reduced form."""
    def quantile(self, q, axis=None, keepdims=False) -> Tensor:
        """The `q`-quantiles (from 0 to 1) along `axis` (None: of all), linear between two elements."""
    def rad2deg(self) -> Tensor:
        r"""$180 x / \pi$, element by element."""
    def random_(self, from_=0, to=None, *, generator=None) -> Tensor:
        """The tensor filled with integers in [from_, to), all equally likely."""
    def random_categorical(self, num_sample, seed=0, dtype=...) -> Tensor:
        """`num_sample` indices for each row of `logits`, with probabilities $softmax(logits)$."""
    def ravel(self) -> Tensor:
        """All elements in one dimension, in row-major order."""
    def real(self) -> Tensor:
        """The real part; what is real stays as it is."""
    def reciprocal(self) -> Tensor:
        """$1 / x$, element by element."""
    def redistribute(self, dst_dtensor_info) -> Tensor:
        """The same Tensor, placed as `dst_dtensor_info`, a `DistributedTensorInfo`, says, which is then its `_dtensor_info`; see `reshard`."""
    def register_hook(self, hook_fn) -> Any:
        """Call `hook_fn(grad)` when a derivative has found this tensor's whole gradient."""
    @overload
    def remainder(self, other) -> Tensor:
        r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
    @overload
    def remainder(self, divisor) -> Tensor:
        r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
    def remainder_(self, *args, **kwargs) -> Tensor:
        """`remainder` put into the tensor itself."""
    @staticmethod
    def remove_hook(hook) -> None:
        """Take away a hook by the handle that `register_hook` returned."""
    def renorm(self, p, axis, maxnorm) -> Tensor:
        """Each slice along `axis` scaled down so that its `p`-norm is at most `maxnorm`."""
    def repeat(self, *counts, repeats=None, axis=None) -> Tensor:
        """The tensor laid out `repeats[i]` times along dimension `i`, as `tile`; with `axis`, each element repeated along it, as `ops.repeat_interleave`."""
    @overload
    def repeat_interleave(self, repeats, dim=None, *, output_size=None) -> Tensor:
        """Each element `repeats` times along `axis`; of the flattened input if that is None."""
    @overload
    def repeat_interleave(self, repeats, axis=None) -> Tensor:
        """Each element `repeats` times along `axis`; of the flattened input if that is None."""
    def requires_grad_(self, requires_grad=True) -> Tensor:
        """Whether derivatives with respect to this tensor are taken; without, they are zero."""
    def reshape(self, *dims, shape=None) -> Tensor:
        """The elements, in row-major order, in another shape; one -1 in it is worked out."""
    def reshape_as(self, other) -> Tensor:
        """`input` in the shape of `other`."""
    def resize(self, *new_shape) -> Tensor:
        """The elements row by row in another shape, which may have fewer of them, or more: zeros."""
    def reverse(self, axis) -> Tensor:
        """The order of the elements turned round along `dims`, an int or a tuple of ints."""
    def reverse_sequence(self, seq_lengths, seq_dim=0, batch_dim=0) -> Tensor:
        """The first `seq_lengths` elements along `seq_dim` in reverse order, for each of a batch."""
    def roll(self, shifts, dims=None) -> Tensor:
        """The elements moved on by `shifts` along `dims`, from the end back to the start; with `dims` None, as if all were in one dimension."""
    def rot90(self, k, dims) -> Tensor:
        """Turned by `k` right angles, from the first of `dims` toward the second."""
    def round(self, decimals=0) -> Tensor:
        """Rounded to `decimals` places; halves go to the even neighbour."""
    def rsqrt(self) -> Tensor:
        r"""$1 / \sqrt{x}$, element by element."""
    @overload
    def scatter(self, dim, index, src, reduce='none') -> Tensor:
        """The tensor, where `src` replaces what `index` names along `axis`; see `ops.scatter`."""
    @overload
    def scatter(self, axis, index, src) -> Tensor: ...
    @overload
    def scatter_(self, dim, index, src, reduce='none') -> Tensor:
        """`scatter` put into the tensor itself."""
    @overload
    def scatter_(self, dim, index, value, reduce='none') -> Tensor: ...
    @overload
    def scatter_add(self, dim, index, src) -> Tensor:
        """`input`, where `src` is added to the elements at `index` along `dim`."""
    @overload
    def scatter_add(self, indices, updates) -> Tensor: ...
    def scatter_add_(self, dim, index, src) -> Tensor:
        """`scatter_add` put into the tensor itself."""
    def scatter_div(self, indices, updates) -> Tensor:
        """`input_x`, where `updates` divide what each row of `indices` (last dimension) points to."""
    def scatter_max(self, indices, updates) -> Tensor:
        """`input_x`, where `updates` replace, if larger, what each row of `indices` (last dimension) points to."""
    def scatter_min(self, indices, updates) -> Tensor:
        """`input_x`, where `updates` replace, if smaller, what each row of `indices` (last dimension) points to."""
    def scatter_mul(self, indices, updates) -> Tensor:
        """`input_x`, where `updates` multiply what each row of `indices` (last dimension) points to."""
    def scatter_sub(self, indices, updates) -> Tensor:
        """`input_x`, where `updates` are taken off what each row of `indices` (last dimension) points to."""
    def searchsorted(self, v, side='left', sorter=None) -> Tensor:
        """Where to put `v` so that the sorted tensor stays sorted, Int32; see `ops.searchsorted`."""
    @overload
    def select(self, dim, index) -> Tensor:
        """The slice at `index` along `dim`, without that dimension; with a Tensor `condition` and `y` instead, the Tensor where `condition` is nonzero, else `y`."""
    @overload
    def select(self, condition, y) -> Tensor: ...
    def select_scatter(self, src, axis, index) -> Tensor:
        """`input` with `src` at `index` along `axis`."""
    def set_(self, source=None, storage_offset=0, size=None, stride=None) -> Tensor:
        """Put the tensor into other memory, which it then shares: that of `source`, a Tensor or an `UntypedStorage`. The tensors that it shared memory with keep theirs."""
    def set_cast_dtype(self, dtype=None) -> None:
        """Accepted, without effect: a Cell says in which dtype it computes (`Cell.to_float`)."""
    def set_const_arg(self, const_arg=True) -> Tensor:
        """Keep a bool as `const_arg`; returns the tensor. What a captured function computes with is an input in any case."""
    def set_device_address(self, address, shape, dtype) -> None:
        """Fill the tensor with a copy of the elements at an address of the host's memory, row by row."""
    def set_init_flag(self, flag) -> None:
        """Keep a bool that `is_init` returns."""
    def set_param_info(self, param_info) -> None:
        """Keep an object as `param_info`; a Parameter is its own."""
    def sgn(self) -> Tensor:
        """The sign: of a complex number, the number of modulus 1 in its direction; 0 of 0."""
    def short(self) -> Tensor:
        """The tensor in Int16."""
    def sigmoid(self) -> Tensor:
        """$1 / (1 + e^{-x})$, element by element."""
    def sigmoid_(self) -> Tensor:
        """`sigmoid` put into the tensor itself."""
    def sign(self) -> Tensor:
        """-1, 0 or 1, the sign of $x$; 0 of NaN, element by element."""
    def sign_(self) -> Tensor:
        """`sign` put into the tensor itself."""
    def signbit(self) -> Tensor:
        """Whether $x < 0$, element by element."""
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
        r"""$x$ moved toward 0 by $\lambda$, and 0 where $|x| \leq \lambda$."""
    def softmax(self, axis, dtype=None) -> Tensor:
        r"""$e^{x_i} / \sum_j e^{x_j}$ along `axis`, in `dtype` if given."""
    @overload
    def sort(self, axis=-1, descending=False) -> builtins.tuple[Tensor, ...]:
        """The elements in order along `axis`, and the index (Int32) that each had: a pair."""
    @overload
    def sort(self, dim=-1, descending=False, stable=False) -> builtins.tuple[Tensor, ...]:
        """The elements in order along `axis`, and the index (Int32) that each had: a pair."""
    @overload
    def split(self, split_size, dim=0) -> builtins.tuple[Tensor, ...]:
        """Pieces along `axis`, a tuple: of one size (the last may be smaller), or of the listed sizes."""
    @overload
    def split(self, split_size_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
        """Pieces along `axis`, a tuple: of one size (the last may be smaller), or of the listed sizes."""
    def sqrt(self) -> Tensor:
        r"""$\sqrt{x}$, element by element."""
    def square(self) -> Tensor:
        """$x^2$, element by element."""
    def squeeze(self, *axis, **keyword) -> Tensor:
        """The tensor without dimensions of size 1; see `ops.squeeze`."""
    @overload
    def std(self, axis=None, ddof=0, keepdims=False) -> Tensor:
        """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def std(self, dim=None, *, correction=1, keepdim=False) -> Tensor:
        """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
    def storage(self) -> Any:
        """As `untyped_storage`."""
    def storage_offset(self) -> builtins.int:
        """The number of the first element in the memory that the tensor shares with others."""
    def stride(self, dim=None) -> Any:
        """Elements to step in each dimension, or in one."""
    @property
    def strides(self) -> builtins.tuple:
        """Bytes to step in each dimension."""
    @overload
    def sub(self, other, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    @overload
    def sub(self, y, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    def sub_(self, *args, **kwargs) -> Tensor:
        """`sub` put into the tensor itself."""
    def subtract(self, other, *, alpha=1) -> Tensor:
        r"""$input - alpha \cdot other$, broadcast together."""
    @overload
    def sum(self, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:
        r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
    @overload
    def sum(self, dim=None, keepdim=False, *, dtype=None) -> Tensor:
        r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
    def sum_to_size(self, *size) -> Tensor:
        """The sum over dimensions until the shape is `size`, from which the tensor's can be broadcast."""
    def svd(self, full_matrices=False, compute_uv=True) -> Tensor:
        r"""$A = u \, diag(s) \, v^H$ of each matrix `(*, m, n)`: (s, u, v), or s if not `compute_uv`."""
    def swapaxes(self, axis0, axis1) -> Tensor:
        """Two dimensions swapped."""
    def swapdims(self, dim0, dim1) -> Tensor:
        """Two dimensions swapped."""
    @property
    def symbolic_shape(self) -> Tensor:
        """A flag of MindSpore's runtime, None at first; it changes nothing here."""
    def t(self) -> Tensor:
        """A matrix with rows and columns swapped; of fewer dimensions, the tensor itself."""
    def take(self, indices=None, axis=None, mode='clip', *, index=None) -> Tensor:
        """The elements (with `axis`, the slices along it) at `indices`."""
    def tan(self) -> Tensor:
        r"""$\tan x$, element by element."""
    def tanh(self) -> Tensor:
        r"""$\tanh x$, element by element."""
    def tanh_(self) -> Tensor:
        """`tanh` put into the tensor itself."""
    def tensor_split(self, indices_or_sections, axis=0) -> builtins.tuple[Tensor, ...]:
        """Pieces along `axis`, a tuple: so many (the first ones larger by one), or cut at indices."""
    def tile(self, *counts, dims=None, reps=None) -> Tensor:
        """The tensor laid out `reps[i]` times along dimension `i`; see `ops.tile`."""
    def to(self, dtype=None, non_blocking=False, copy=False, *, device=None, other=None) -> Tensor:
        """The tensor in another dtype, that of `other` if it is a Tensor; the device is XLA's to choose."""
    def to_(self, device=None, non_blocking=False) -> Tensor:
        """The tensor itself. `device`: 'Ascend', 'GPU' or 'CPU'; the device is XLA's to choose."""
    def to_coo(self) -> COOTensor:
        """The nonzero elements of a matrix, a `COOTensor`. How many there are decides the shapes, so that the computation runs up to here."""
    def to_csr(self) -> CSRTensor:
        """The nonzero elements of a matrix, a `CSRTensor`; see `to_coo`."""
    def to_dlpack(self) -> Any:
        """A DLPack capsule of the tensor's memory, for another library's `from_dlpack`."""
    def top_k(self, k, sorted=True) -> builtins.tuple[Tensor, ...]:
        """The `k` largest (or smallest) elements along `dim` (the last by default), in order, and their indices (Int32): a pair."""
    def topk(self, k, dim=-1, largest=True, sorted=True) -> builtins.tuple[Tensor, ...]:
        """The `k` largest (or smallest) elements along `dim` (the last by default), in order, and their indices (Int32): a pair."""
    def trace(self, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
        """The sum of a matrix's diagonal; the method's may be `offset` above the main one, in the planes of `axis1` and `axis2`."""
    def transpose(self, *axes, dim0=None, dim1=None) -> Tensor:
        """Swaps the two dimensions named; with one sequence, or more than two ints, puts all dimensions in that order; without arguments, in reverse."""
    def triangular_solve(self, A, upper=True, transpose=False, unitriangular=False) -> builtins.tuple[Tensor, ...]:
        """(X, A) with A X = b, where A is a triangle, `(*, n, n)`; `transpose`: of its transpose."""
    def tril(self, diagonal=0) -> Tensor:
        """The lower triangle of the last two dimensions, zeros above `diagonal`."""
    def triu(self, diagonal=0) -> Tensor:
        """The upper triangle of the last two dimensions, zeros below `diagonal`."""
    def true_divide(self, other) -> Tensor:
        """$input / other$, broadcast together; integers divide to Float32."""
    def trunc(self) -> Tensor:
        """$x$ rounded toward zero, element by element."""
    def type_as(self, other) -> Tensor:
        """`input` in the dtype of `other`."""
    def unbind(self, dim=0) -> builtins.tuple[Tensor, ...]:
        """The slices along `axis`, without it, a tuple; `num` of them, if that is given."""
    def unfold(self, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
        """Windows as columns: `(N, C, H, W)` -> `(N, C kh kw, L)`, L being how many windows there are."""
    def uniform(self, from_=0.0, to=1.0, generator=None) -> Tensor:
        """Numbers uniform in [from_, to), in the shape and dtype of `input`."""
    def uniform_(self, from_=0, to=1, *, generator=None) -> Tensor:
        """The tensor filled with numbers uniform in [from_, to)."""
    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None) -> Tensor:
        """The distinct elements (along `dim`, the distinct slices) in order; then, where asked, the index of each element's equal among them and how often each occurs, Int64."""
    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None) -> Any:
        """The elements (along `dim`, the slices) without those that equal the one before; then, where asked, the index among them of each element and how often each is repeated, Int64."""
    def unique_with_pad(self, pad_num) -> builtins.tuple[Tensor, ...]:
        """The distinct elements in order of first appearance, filled up with `pad_num`, and for each element the index of its equal among them: a pair, of the vector's size and dtype."""
    def unsorted_segment_max(self, segment_ids, num_segments) -> Tensor:
        """The largest of the slices of `x` with equal `segment_ids`, one a segment."""
    def unsorted_segment_min(self, segment_ids, num_segments) -> Tensor:
        """The smallest of the slices of `x` with equal `segment_ids`, one a segment."""
    def unsorted_segment_prod(self, segment_ids, num_segments) -> Tensor:
        """The product of the slices of `x` with equal `segment_ids`, one a segment."""
    def unsorted_segment_sum(self, segment_ids, num_segments) -> Tensor:
        """The sum of the slices of `input_x` with equal `segment_ids`, one a segment."""
    @overload
    def unsqueeze(self, dim) -> Tensor:
        """A dimension of size 1 put in at `axis`."""
    @overload
    def unsqueeze(self, axis) -> Tensor:
        """A dimension of size 1 put in at `axis`."""
    def untyped_storage(self) -> Any:
        """The memory that the tensor shares with others, an `UntypedStorage`."""
    @overload
    def var(self, axis=None, ddof=0, keepdims=False) -> Tensor:
        r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
    @overload
    def var(self, dim=None, *, correction=1, keepdim=False) -> Tensor:
        r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
    def view(self, *shape, **keyword) -> Tensor:
        """The elements, in row-major order, in another shape, or with a dtype their bytes as elements of that dtype: a view of the same memory."""
    def view_as(self, other) -> Tensor:
        """`input` in the shape of `other`."""
    @property
    def virtual_flag(self) -> Tensor:
        """A flag of MindSpore's runtime, False at first; it changes nothing here."""
    def vsplit(self, indices_or_sections) -> builtins.tuple[Tensor, ...]:
        """`tensor_split` along axis 0."""
    def wait_pipeline(self) -> None:
        """Wait until the elements are computed."""
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
        """Every element set to zero."""
