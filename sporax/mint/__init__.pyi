"""What `mint` has; written by tools/write_stubs.py."""

from . import distributed as distributed
from . import item as item
from . import linalg as linalg
from . import nn as nn
from . import optim as optim
from . import special as special
from .distributed import P2POp as P2POp
from .distributed import TCPStore as TCPStore
from .distributed import all_gather as all_gather
from .distributed import all_gather_into_tensor as all_gather_into_tensor
from .distributed import all_gather_into_tensor_uneven as all_gather_into_tensor_uneven
from .distributed import all_gather_object as all_gather_object
from .distributed import all_reduce as all_reduce
from .distributed import all_to_all as all_to_all
from .distributed import all_to_all_single as all_to_all_single
from .distributed import barrier as barrier
from .distributed import batch_isend_irecv as batch_isend_irecv
from .distributed import broadcast as broadcast
from .distributed import broadcast_object_list as broadcast_object_list
from .distributed import destroy_process_group as destroy_process_group
from .distributed import gather_into_tensor as gather_into_tensor
from .distributed import gather_object as gather_object
from .distributed import get_backend as get_backend
from .distributed import get_global_rank as get_global_rank
from .distributed import get_group_rank as get_group_rank
from .distributed import get_process_group_ranks as get_process_group_ranks
from .distributed import get_rank as get_rank
from .distributed import get_world_size as get_world_size
from .distributed import init_process_group as init_process_group
from .distributed import irecv as irecv
from .distributed import is_available as is_available
from .distributed import is_initialized as is_initialized
from .distributed import isend as isend
from .distributed import new_group as new_group
from .distributed import recv as recv
from .distributed import recv_object_list as recv_object_list
from .distributed import reduce as reduce
from .distributed import reduce_scatter as reduce_scatter
from .distributed import reduce_scatter_tensor as reduce_scatter_tensor
from .distributed import reduce_scatter_tensor_uneven as reduce_scatter_tensor_uneven
from .distributed import scatter_object_list as scatter_object_list
from .distributed import scatter_tensor as scatter_tensor
from .distributed import send as send
from .distributed import send_object_list as send_object_list
from .linalg import inv as inv
from .linalg import matrix_norm as matrix_norm
from .linalg import vector_norm as vector_norm
from .nn import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from .nn import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from .nn import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from .nn import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from .nn import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from .nn import AvgPool1d as AvgPool1d
from .nn import AvgPool2d as AvgPool2d
from .nn import AvgPool3d as AvgPool3d
from .nn import BCELoss as BCELoss
from .nn import BCEWithLogitsLoss as BCEWithLogitsLoss
from .nn import BatchNorm1d as BatchNorm1d
from .nn import BatchNorm2d as BatchNorm2d
from .nn import BatchNorm3d as BatchNorm3d
from .nn import ConstantPad1d as ConstantPad1d
from .nn import ConstantPad2d as ConstantPad2d
from .nn import ConstantPad3d as ConstantPad3d
from .nn import Conv1d as Conv1d
from .nn import Conv2d as Conv2d
from .nn import Conv3d as Conv3d
from .nn import ConvTranspose2d as ConvTranspose2d
from .nn import CosineEmbeddingLoss as CosineEmbeddingLoss
from .nn import CrossEntropyLoss as CrossEntropyLoss
from .nn import Dropout as Dropout
from .nn import Dropout2d as Dropout2d
from .nn import ELU as ELU
from .nn import Embedding as Embedding
from .nn import Flatten as Flatten
from .nn import Fold as Fold
from .nn import GELU as GELU
from .nn import GLU as GLU
from .nn import GroupNorm as GroupNorm
from .nn import Hardshrink as Hardshrink
from .nn import Hardsigmoid as Hardsigmoid
from .nn import Hardswish as Hardswish
from .nn import Hardtanh as Hardtanh
from .nn import Identity as Identity
from .nn import KLDivLoss as KLDivLoss
from .nn import L1Loss as L1Loss
from .nn import LayerNorm as LayerNorm
from .nn import Linear as Linear
from .nn import LogSigmoid as LogSigmoid
from .nn import LogSoftmax as LogSoftmax
from .nn import MSELoss as MSELoss
from .nn import MaxPool2d as MaxPool2d
from .nn import MaxUnpool2d as MaxUnpool2d
from .nn import Mish as Mish
from .nn import NLLLoss as NLLLoss
from .nn import PReLU as PReLU
from .nn import PixelShuffle as PixelShuffle
from .nn import ReLU as ReLU
from .nn import ReLU6 as ReLU6
from .nn import ReflectionPad1d as ReflectionPad1d
from .nn import ReflectionPad2d as ReflectionPad2d
from .nn import ReflectionPad3d as ReflectionPad3d
from .nn import ReplicationPad1d as ReplicationPad1d
from .nn import ReplicationPad2d as ReplicationPad2d
from .nn import ReplicationPad3d as ReplicationPad3d
from .nn import SELU as SELU
from .nn import SiLU as SiLU
from .nn import Sigmoid as Sigmoid
from .nn import SmoothL1Loss as SmoothL1Loss
from .nn import SoftMarginLoss as SoftMarginLoss
from .nn import Softmax as Softmax
from .nn import Softshrink as Softshrink
from .nn import SyncBatchNorm as SyncBatchNorm
from .nn import Tanh as Tanh
from .nn import Threshold as Threshold
from .nn import Unfold as Unfold
from .nn import Upsample as Upsample
from .nn import UpsamplingBilinear2d as UpsamplingBilinear2d
from .nn import UpsamplingNearest2d as UpsamplingNearest2d
from .nn import ZeroPad1d as ZeroPad1d
from .nn import ZeroPad2d as ZeroPad2d
from .nn import ZeroPad3d as ZeroPad3d
from .nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from .nn.functional import adaptive_avg_pool2d as adaptive_avg_pool2d
from .nn.functional import adaptive_avg_pool3d as adaptive_avg_pool3d
from .nn.functional import adaptive_max_pool1d as adaptive_max_pool1d
from .nn.functional import adaptive_max_pool2d as adaptive_max_pool2d
from .nn.functional import avg_pool1d as avg_pool1d
from .nn.functional import avg_pool2d as avg_pool2d
from .nn.functional import avg_pool3d as avg_pool3d
from .nn.functional import batch_norm as batch_norm
from .nn.functional import binary_cross_entropy as binary_cross_entropy
from .nn.functional import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from .nn.functional import conv1d as conv1d
from .nn.functional import conv2d as conv2d
from .nn.functional import conv3d as conv3d
from .nn.functional import conv_transpose2d as conv_transpose2d
from .nn.functional import cosine_embedding_loss as cosine_embedding_loss
from .nn.functional import cross_entropy as cross_entropy
from .nn.functional import elu as elu
from .nn.functional import elu_ as elu_
from .nn.functional import embedding as embedding
from .nn.functional import fold as fold
from .nn.functional import gelu as gelu
from .nn.functional import glu as glu
from .nn.functional import grid_sample as grid_sample
from .nn.functional import group_norm as group_norm
from .nn.functional import hardshrink as hardshrink
from .nn.functional import hardsigmoid as hardsigmoid
from .nn.functional import hardswish as hardswish
from .nn.functional import hardtanh as hardtanh
from .nn.functional import hardtanh_ as hardtanh_
from .nn.functional import hinge_embedding_loss as hinge_embedding_loss
from .nn.functional import interpolate as interpolate
from .nn.functional import kl_div as kl_div
from .nn.functional import l1_loss as l1_loss
from .nn.functional import layer_norm as layer_norm
from .nn.functional import leaky_relu as leaky_relu
from .nn.functional import linear as linear
from .nn.functional import log_softmax as log_softmax
from .nn.functional import logsigmoid as logsigmoid
from .nn.functional import margin_ranking_loss as margin_ranking_loss
from .nn.functional import max_pool2d as max_pool2d
from .nn.functional import max_unpool2d as max_unpool2d
from .nn.functional import mish as mish
from .nn.functional import mse_loss as mse_loss
from .nn.functional import nll_loss as nll_loss
from .nn.functional import normalize as normalize
from .nn.functional import one_hot as one_hot
from .nn.functional import pad as pad
from .nn.functional import pixel_shuffle as pixel_shuffle
from .nn.functional import prelu as prelu
from .nn.functional import relu as relu
from .nn.functional import relu6 as relu6
from .nn.functional import relu_ as relu_
from .nn.functional import selu as selu
from .nn.functional import sigmoid_ as sigmoid_
from .nn.functional import silu as silu
from .nn.functional import smooth_l1_loss as smooth_l1_loss
from .nn.functional import soft_margin_loss as soft_margin_loss
from .nn.functional import softplus as softplus
from .nn.functional import softshrink as softshrink
from .nn.functional import threshold as threshold
from .nn.functional import threshold_ as threshold_
from .nn.functional import unfold as unfold
from .nn.functional import upsample as upsample
from .optim import Adam as Adam
from .optim import AdamW as AdamW
from .optim import FusedAdamW as FusedAdamW
from .optim import SGD as SGD
from .special import digamma as digamma
from sporax._src.core.tensor import Tensor as Tensor
from typing import Any
import builtins

def abs(input) -> Tensor:
    """$|x|$, element by element."""
def acos(input) -> Tensor:
    r"""$\arccos x$, element by element."""
def acosh(input) -> Tensor:
    r"""$\operatorname{arcosh} x$, element by element."""
def add(input, other, *, alpha=1) -> Tensor:
    r"""$input + alpha \cdot other$, broadcast together."""
def addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \sum_b batch1_b \, batch2_b$."""
def addcdiv(input, tensor1, tensor2, *, value=1) -> Tensor:
    r"""$input + value \cdot tensor1 / tensor2$."""
def addcmul(input, tensor1, tensor2, *, value=1) -> Tensor:
    r"""$input + value \cdot tensor1 \cdot tensor2$."""
def addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot mat1 \, mat2$ for matrices."""
def addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot mat \, vec$ for a matrix and a vector."""
def addr_(input, vec1, vec2, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot vec1 \, vec2^\top$ in place."""
def all(input, dim=None, keepdim=False) -> Tensor:
    """True if all elements along `axis` (an int, a tuple of ints, or None) are nonzero: Bool."""
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> builtins.bool:
    """Return True if all elements are close, as in `isclose`: a Python bool."""
def amax(input, dim=(), keepdim=False) -> Tensor:
    """The largest element along `axis` (an int, a tuple of ints, or None for all)."""
def amin(input, dim=(), keepdim=False) -> Tensor:
    """The smallest element along `axis` (an int, a tuple of ints, or None for all)."""
def any(input, dim=None, keepdim=False) -> Tensor:
    """Return True if any element along `axis` (an int, a tuple of ints, or None) is nonzero: Bool."""
def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    r"""$start, start + step, \ldots$ before `end`; with one argument, from 0 up to it."""
def arccos(input) -> Tensor:
    r"""$\arccos x$, element by element."""
def arccosh(input) -> Tensor:
    r"""$\operatorname{arcosh} x$, element by element."""
def arcsin(input) -> Tensor:
    r"""$\arcsin x$, element by element."""
def arcsinh(input) -> Tensor:
    r"""$\operatorname{arsinh} x$, element by element."""
def arctan(input) -> Tensor:
    r"""$\arctan x$, element by element."""
def arctan2(input, other) -> Tensor:
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
def arctanh(input) -> Tensor:
    r"""$\operatorname{artanh} x$, element by element."""
def argmax(input, dim=None, keepdim=False) -> Tensor:
    """The index of the largest element along `dim`, or among all elements if None: Int64."""
def argmin(input, dim=None, keepdim=False) -> Tensor:
    """The index of the smallest element along `dim`, or among all elements if None: Int64."""
def argsort(input, dim=-1, descending=False, stable=False) -> Tensor:
    """Return the indices that sort the elements; see `ops.argsort`. The indices are Int64."""
def asin(input) -> Tensor:
    r"""$\arcsin x$, element by element."""
def asinh(input) -> Tensor:
    r"""$\operatorname{arsinh} x$, element by element."""
def atan(input) -> Tensor:
    r"""$\arctan x$, element by element."""
def atan2(input, other) -> Tensor:
    r"""The angle in $(-\pi, \pi]$ of the point with ordinate `input` and abscissa `other`."""
def atanh(input) -> Tensor:
    r"""$\operatorname{artanh} x$, element by element."""
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    r"""$\beta \cdot input + \alpha \cdot batch1 \, batch2$, for each matrix of a batch."""
def batch_norm_elemt(input, weight=None, bias=None, mean=None, invstd=None, eps=1e-05) -> Tensor:
    r"""$w (x - \mu) \, s + b$ for each channel (axis 1), where `invstd` is $s = 1 / \sqrt{\sigma^2 + \epsilon}$; `mean` and `invstd` default to the statistics of `input`."""
def batch_norm_gather_stats_with_counts(input, mean, invstd, running_mean=None, running_var=None, momentum=0.1, eps=1e-05, counts=None) -> builtins.tuple[Tensor, ...]:
    r"""Combine $\mu$ and $1 / \sqrt{\sigma^2 + \epsilon}$ of the parts of a batch."""
def batch_norm_stats(input, eps) -> builtins.tuple[Tensor, ...]:
    r"""$\mu$ and $1 / \sqrt{\sigma^2 + \epsilon}$ of each channel (axis 1), Float32 at least."""
def bernoulli(input, *, generator=None) -> Tensor:
    """Draw 1 with a probability, else 0, in the shape and dtype of `input`."""
def bincount(input, weights=None, minlength=0) -> Tensor:
    """Count each int from 0 on in a vector: Float32, at least `minlength` elements."""
def bitwise_and(input, other) -> Tensor:
    r"""$input \land other$, element by element, bit by bit, broadcast together."""
def bitwise_not(input) -> Tensor:
    """Flip every bit; on Bool, "not"."""
def bitwise_or(input, other) -> Tensor:
    r"""$input \lor other$, element by element, bit by bit, broadcast together."""
def bitwise_xor(input, other) -> Tensor:
    r"""$input \oplus other$, element by element, bit by bit, broadcast together."""
def bmm(input, mat2) -> Tensor:
    """`matmul` of two batches of matrices, with the same axes before the last two."""
def broadcast_to(input, shape) -> Tensor:
    """Broadcast `input` to `shape`; -1 in it keeps the input's size."""
def cat(tensors, dim=0) -> Tensor:
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal."""
def cdist(x1, x2, p=2.0, compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """As `ops.cdist`; `compute_mode`: ignored, all give the same."""
def ceil(input) -> Tensor:
    r"""$\lceil x \rceil$, element by element."""
def chunk(input, chunks, dim=0) -> builtins.tuple[Tensor, ...]:
    """Split into at most `chunks` equal pieces along `axis` (the last may be smaller), a tuple."""
def clamp(input, min=None, max=None) -> Tensor:
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
def clip(input, min=None, max=None) -> Tensor:
    """Clamp each element between `min` and `max` (numbers, Tensors or None for no bound)."""
def clone(input) -> Tensor:
    """Return an independent tensor with the same contents; derivatives pass through."""
def concat(tensors, dim=0) -> Tensor:
    """Concatenate a tuple or list of Tensors along `axis`; their other sizes must be equal."""
def conv_tbc(input, weight, bias, pad=0) -> Tensor:
    """Convolution along the leading time axis: `(T, N, C)` with `weight` `(k, C, O)` and `bias` `(O,)` -> `(T + 2 pad - k + 1, N, O)`."""
def cos(input) -> Tensor:
    r"""$\cos x$, element by element."""
def cosh(input) -> Tensor:
    r"""$\cosh x$, element by element."""
def count_nonzero(input, dim=None) -> Tensor:
    """Count the nonzero elements along `axis` (`()`: all)."""
def cross(input, other, dim=None) -> Tensor:
    """The cross product of vectors of three elements along `dim` (None: the first of size 3)."""
def cummax(input, dim) -> builtins.tuple[Tensor, ...]:
    """The largest element so far along `axis`, and its index (Int64)."""
def cummin(input, dim) -> builtins.tuple[Tensor, ...]:
    """The cumulative minimum along `dim`, and its index (Int64)."""
def cumprod(input, dim, dtype=None) -> Tensor:
    r"""$y_i = \prod_{j \leq i} x_j$ along `dim`; integers are multiplied in Int64."""
def cumsum(input, dim, dtype=None) -> Tensor:
    r"""$y_i = \sum_{j \leq i} x_j$ along `axis`."""
def diag(input, diagonal=0) -> Tensor:
    """The `diagonal` of a matrix, counted upward from the main one; or the matrix with a vector on it and zeros elsewhere."""
def diff(input, n=1, dim=-1, prepend=None, append=None) -> Tensor:
    """Differences of neighbours along `axis`, `n` times, including `prepend` and `append`."""
def div(input, other, *, rounding_mode=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def divide(input, other, *, rounding_mode=None) -> Tensor:
    """$input / other$, broadcast together; integers divide to Float32."""
def dot(input, other) -> Tensor:
    r"""$\sum_k a_{\ldots k} b_{\ldots k \ldots}$: the last axis with the second-last (or only) one."""
def dropout(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout` with `p` in [0, 1]; `inplace`: also writes the result to `input`."""
def dropout2d(input, p=0.5, training=True, inplace=False) -> Tensor:
    """`ops.dropout2d`; `inplace`: also writes the result to `input`."""
def dstack(tensors) -> Tensor:
    """The tensors put one after the other, as `numpy.dstack` does."""
def einsum(equation, *operands) -> Tensor:
    """Einstein summation: products summed over the letters missing on the right of `->`."""
def empty(*size, dtype=None, device=None, pin_memory=False) -> Tensor:
    """Create a Tensor of that size with unspecified elements: zeros. XLA chooses the device."""
def empty_like(input, *, dtype=None, device=None, pin_memory=False) -> Tensor:
    """A Tensor of the input's shape, in its dtype or another, with unspecified elements: zeros."""
def eq(input, other) -> Tensor:
    """$input = other$, element by element: Bool, broadcast together."""
def equal(input, other) -> builtins.bool:
    """Return True if two Tensors have the same shape and the same elements."""
def erf(input) -> Tensor:
    r"""$\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt$, element by element."""
def erfc(input) -> Tensor:
    r"""$1 - \operatorname{erf}(x)$, element by element."""
def erfinv(input) -> Tensor:
    """The inverse of `erf`, element by element."""
def exp(input) -> Tensor:
    """$e^{x}$, element by element."""
def exp2(input) -> Tensor:
    """$2^x$, element by element."""
def expm1(input) -> Tensor:
    """$e^x - 1$, element by element."""
def eye(n, m=None, dtype=None) -> Tensor:
    """An `n` by `m` matrix (`m` is `n` by default) with ones on the diagonal, Float32 by default."""
def flatten(input, start_dim=0, end_dim=-1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one."""
def flip(input, dims) -> Tensor:
    """Reverse the order of the elements along `dims`, an int or a tuple of ints."""
def float_power(input, exponent) -> Tensor:
    """$input^{exponent}$, computed in Float64."""
def floor(input) -> Tensor:
    r"""$\lfloor x \rfloor$, element by element."""
def floor_divide(input, other) -> Tensor:
    r"""$\lfloor input / other \rfloor$, broadcast together; derivatives are stopped."""
def fmod(input, other) -> Tensor:
    """The remainder of a division truncated toward zero, with the dividend's sign."""
def frac(input) -> Tensor:
    r"""$x - \operatorname{trunc}(x)$, element by element."""
def full(size, fill_value, *, dtype=None) -> Tensor:
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value."""
def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """`fill_value` in the shape of `input`, in its dtype unless another is given."""
def gather(input, dim, index) -> Tensor:
    """$y_{i j} = x_{i, index_{ij}}$ for `dim` 1, analogous for others: one element for each index."""
def gcd(input, other) -> Tensor:
    """The greatest common divisor of integers; broadcast together."""
def ge(input, other) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def greater(input, other) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def greater_equal(input, other) -> Tensor:
    r"""$input \geq other$, element by element: Bool, broadcast together."""
def gt(input, other) -> Tensor:
    """$input > other$, element by element: Bool, broadcast together."""
def histc(input, bins=100, min=0.0, max=0.0) -> Tensor:
    """Count the elements in each of `bins` equal bins from `min` to `max`, in the input's dtype (Float32 for 16-bit floats)."""
def hstack(tensors) -> Tensor:
    """The tensors put one after the other, as `numpy.hstack` does."""
def imag(input) -> Tensor:
    """The imaginary part; zeros for real tensors."""
def index_add(input, dim, index, source, *, alpha=1) -> Tensor:
    r"""`x` with $\alpha \cdot source$ added to the slices along `dim` at `index`."""
def index_select(input, dim, index) -> Tensor:
    """The slices along `axis` at the 1-d `index`."""
def inverse(input) -> Tensor:
    """The inverse of each matrix in the last two dimensions."""
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    r"""Return True where $|input - other| \leq atol + rtol \cdot |other|$, elementwise: Bool."""
def isfinite(input) -> Tensor:
    """True where $x$ is finite, element by element."""
def isinf(input) -> Tensor:
    """True where $x$ is infinite, element by element."""
def isnan(tensor) -> Tensor:
    """True where $x$ is NaN, element by element."""
def isneginf(input) -> Tensor:
    r"""True where $x = -\infty$, element by element."""
def kthvalue(input, k, dim=-1, keepdim=False) -> builtins.tuple[Tensor, ...]:
    """The `k`-th smallest element along `dim`, k from 1, and its index (Int64): a pair. NaN sorts last."""
def le(input, other) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def lerp(input, end, weight) -> Tensor:
    r"""$input + weight \cdot (end - input)$."""
def less(input, other) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def less_equal(input, other) -> Tensor:
    r"""$input \leq other$, element by element: Bool, broadcast together."""
def linspace(start, end, steps, *, dtype=None) -> Tensor:
    """`steps` equally spaced numbers from `start` to `end`, both included; Float32."""
def log(input) -> Tensor:
    r"""$\ln x$, element by element."""
def log10(input) -> Tensor:
    r"""$\log_{10} x$, element by element."""
def log1p(input) -> Tensor:
    r"""$\ln(1 + x)$, element by element."""
def log2(input) -> Tensor:
    r"""$\log_2 x$, element by element."""
def logaddexp(input, other) -> Tensor:
    r"""$\ln(e^{input} + e^{other})$, without overflow."""
def logaddexp2(input, other) -> Tensor:
    r"""$\log_2(2^{input} + 2^{other})$, without overflow."""
def logical_and(input, other) -> Tensor:
    r"""$input \land other$, element by element: Bool, broadcast together."""
def logical_not(input) -> Tensor:
    """Return True where $input = 0$, element by element: Bool."""
def logical_or(input, other) -> Tensor:
    r"""$input \lor other$, element by element: Bool, broadcast together."""
def logical_xor(input, other) -> Tensor:
    r"""$input \oplus other$, element by element: Bool, broadcast together."""
def logsumexp(input, dim, keepdim=False) -> Tensor:
    r"""$\ln \sum_i e^{x_i}$ along `dim`, without overflow."""
def lt(input, other) -> Tensor:
    """$input < other$, element by element: Bool, broadcast together."""
def masked_select(input, mask) -> Tensor:
    """Return the elements where the Bool `mask` is True, flattened; both are broadcast together."""
def matmul(input, other) -> Tensor:
    r"""$\sum_k a_{ik} b_{kj}$: the matrix product, `(..., n, k)` with `(..., k, m)`."""
def max(input) -> Tensor:
    """The largest elements along `axis` and their indices (Int64), a pair."""
def maximum(input, other) -> Tensor:
    """The larger of both, element by element; NaN where either is NaN."""
def mean(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$\frac1n \sum_{i=1}^n x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def median(input, dim=None, keepdim=False) -> Tensor:
    """The lower of the two middle elements of all; with `dim` also its index. NaN for no elements, the lowest value for integers."""
def meshgrid(*tensors, indexing=None) -> Tensor:
    """Return coordinate tensors of the grid over 1-d tensors; rows first by default."""
def min(input) -> Tensor:
    """The smallest elements along `axis` and their indices (Int64), a pair."""
def minimum(input, other) -> Tensor:
    """The smaller of both, element by element; NaN where either is NaN."""
def mm(input, mat2) -> Tensor:
    """`matmul` of two matrices."""
def mul(input, other) -> Tensor:
    r"""$input \cdot other$, broadcast together."""
def multinomial(input, num_samples, replacement=False, *, generator=None) -> Tensor:
    """As `ops.multinomial`, by default each index at most once: Int64."""
def mv(input, vec) -> Tensor:
    """`matmul` of a matrix and a vector."""
def nan_to_num(input, nan=None, posinf=None, neginf=None) -> Tensor:
    """`input` with `nan` (0) for NaN, `posinf` and `neginf` (the largest numbers) for infinities."""
def nansum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The sum of the elements that are not NaN, along `axis`; None: all."""
def narrow(input, dim, start, length) -> Tensor:
    """`length` slices along `axis`, starting at `start`."""
def ne(input, other) -> Tensor:
    r"""$input \neq other$, element by element: Bool, broadcast together."""
def neg(input) -> Tensor:
    """$-x$, element by element."""
def negative(input) -> Tensor:
    """$-x$, element by element."""
def nonzero(input, *, as_tuple=False) -> Tensor:
    """Return the indices of nonzero elements, one per row, Int64; `as_tuple`: a tuple of columns."""
def norm(input, p='fro', dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$(\sum_i |x_i|^p)^{1/p}$ over `dim`, or over all elements if None; 'fro' is 2."""
def normal(mean=0.0, std=1.0, size=None, generator=None) -> Tensor:
    """Draw from the normal distribution with `mean` and `std`, numbers or Tensors, in shape `size`."""
def not_equal(input, other) -> Tensor:
    r"""$input \neq other$, element by element: Bool, broadcast together."""
def npu_gelu(input, approximate='none') -> Tensor:
    r"""$x \Phi(x)$, with the normal distribution function $\Phi$ (Hendrycks and Gimpel, 2016)."""
def ones(size, *, dtype=None) -> Tensor:
    """Ones of that `shape` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
def ones_like(input, *, dtype=None) -> Tensor:
    """Ones of the shape of `input`, in its dtype unless another is given."""
def outer(input, vec2) -> Tensor:
    """$a_i b_j$ of two vectors."""
def permute(input, dims) -> Tensor:
    """Permute the dimensions: dimension `i` of the result is `dims[i]` of `input`."""
def polar(abs, angle) -> Tensor:
    r"""$r (\cos \varphi + i \sin \varphi)$ from r = `abs` and the angle."""
def pow(input, exponent) -> Tensor:
    """$input^{exponent}$, broadcast together."""
def prod(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$\prod_i x_i$ along `axis`: an int, a tuple of ints, or None for all."""
def qr(input, mode='reduced') -> Any:
    """$A = Q R$ of each matrix `(*, m, n)`, with k the smaller of m and n."""
def rand(*size, generator=None, dtype=None, device=None) -> Tensor:
    """Draw uniformly from [0, 1), in a floating `dtype` (Float32); `size`: ints or one tuple."""
def rand_like(input, *, dtype=None, device=None) -> Tensor:
    """As `mint.rand`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
def randint(high, size, *, generator=None, dtype=None, device=None) -> Tensor:
    """Draw integers uniformly from `low` (0) to `high - 1`, in a `dtype` (Int64)."""
def randint_like(input, high, *, dtype=None, device=None) -> Tensor:
    """As `mint.randint`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
def randn(*size, generator=None, dtype=None, device=None) -> Tensor:
    """Draw from the standard normal distribution; arguments as for `mint.rand`."""
def randn_like(input, *, dtype=None, device=None) -> Tensor:
    """As `mint.randn`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
def randperm(n, *, generator=None, dtype=...) -> Tensor:
    """Return the numbers from 0 to `n - 1` in random order; `n`: an int, at least 0."""
def ravel(input) -> Tensor:
    """Flatten to one dimension, in row-major order."""
def real(input) -> Tensor:
    """The real part; real tensors are returned unchanged."""
def reciprocal(input) -> Tensor:
    """$1 / x$, element by element."""
def remainder(input, other) -> Tensor:
    r"""$input - other \lfloor input / other \rfloor$: the remainder with the divisor's sign."""
def repeat_interleave(input, repeats, dim=None, *, output_size=None) -> Tensor:
    """Repeat each element `repeats` times along `axis`; of the flattened input if that is None."""
def reshape(input, shape) -> Tensor:
    """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
def roll(input, shifts, dims=None) -> Tensor:
    """Shift the elements cyclically by `shifts` along `dims`; with `dims` None, as if all were in one dimension."""
def round(input, *, decimals=0) -> Tensor:
    """Round to `decimals` places; halves go to the even neighbour."""
def rsqrt(input) -> Tensor:
    r"""$1 / \sqrt{x}$, element by element."""
def scatter(input, dim, index, src) -> Tensor:
    """`input` with the elements at `index` along `axis` replaced by `src` (a Tensor or a number)."""
def scatter_add(input, dim, index, src) -> Tensor:
    """`input` with `src` added to the elements at `index` along `dim`."""
def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None) -> Tensor:
    """Return the insertion points of `values` in the sorted last axis: before equal elements, or after them with `right` (or `side='right'`). Int64, or Int32 with `out_int32`."""
def select(input, dim, index) -> Tensor:
    """The slice at `index` along `dim`, which is removed."""
def sigmoid(input) -> Tensor:
    """$1 / (1 + e^{-x})$, element by element."""
def sign(input) -> Tensor:
    """-1, 0 or 1, the sign of $x$; 0 of NaN, element by element."""
def sin(input) -> Tensor:
    r"""$\sin x$, element by element."""
def sinc(input) -> Tensor:
    r"""$\sin(\pi x) / (\pi x)$, and 1 at 0, element by element."""
def sinh(input) -> Tensor:
    r"""$\sinh x$, element by element."""
def softmax(input, dim, *, dtype=None) -> Tensor:
    r"""$e^{x_i} / \sum_j e^{x_j}$ along `dim`, in `dtype` if given."""
def sort(input, *, dim=-1, descending=False, stable=False) -> builtins.tuple[Tensor, ...]:
    """Sort along `dim`; returns the elements and their former indices (`ops.sort`), Int64."""
def split(tensor, split_size_or_sections, dim=0) -> builtins.tuple[Tensor, ...]:
    """Split along `axis` into a tuple: one size (the last may be smaller), or the listed sizes."""
def sqrt(input) -> Tensor:
    r"""$\sqrt{x}$, element by element."""
def square(input) -> Tensor:
    """$x^2$, element by element."""
def squeeze(input, dim=None) -> Tensor:
    """Remove dimensions of size 1: all of them, or the ones in `axis`."""
def stack(tensors, dim=0) -> Tensor:
    """Stack a tuple or list of Tensors of one shape along a new dimension `axis`."""
def std(input, dim=None, *, correction=1, keepdim=False) -> Tensor:
    """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
def std_mean(input, dim=None, *, correction=1, keepdim=False) -> Tensor:
    """Standard deviation, the square root of `var`, along `axis`: an int, a tuple of ints, or None for all."""
def sub(input, other, *, alpha=1) -> Tensor:
    r"""$input - alpha \cdot other$, broadcast together."""
def sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    r"""$\sum_i x_i$ along `dim`: an int, a tuple of ints, or None for all dimensions."""
def swapaxes(input, axis0, axis1) -> Tensor:
    """Swap two dimensions."""
def t(input) -> Tensor:
    """Swap the rows and columns of a matrix; with fewer dimensions, return the tensor itself."""
def take(input, index) -> Tensor:
    """The elements at `index` of the flattened `input`."""
def tan(input) -> Tensor:
    r"""$\tan x$, element by element."""
def tanh(input) -> Tensor:
    r"""$\tanh x$, element by element."""
def tile(input, dims) -> Tensor:
    """Repeat `input` `dims[i]` times along dimension `i`; `dims` is aligned on the right."""
def topk(input, k, dim=-1, largest=True, sorted=True) -> builtins.tuple[Tensor, ...]:
    """The `k` largest elements, and their indices; see `ops.topk`. The indices are Int64."""
def trace(input) -> Tensor:
    """The sum of a matrix's diagonal; the method takes an `offset` above the main one, and the planes of `axis1` and `axis2`."""
def transpose(input, dim0, dim1) -> Tensor:
    """Swap two dimensions."""
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False) -> builtins.tuple[Tensor, ...]:
    """Return (X, A) with A X = b for a triangular A `(*, n, n)`; `transpose`: with its transpose."""
def tril(input, diagonal=0) -> Tensor:
    """The lower triangle of the last two dimensions, zeros above `diagonal`."""
def tril_indices(row, col, offset=0, *, dtype=...) -> Tensor:
    """Rows and columns of the elements on and below the diagonal `offset`: `(2, n)`."""
def triu(input, diagonal=0) -> Tensor:
    """The upper triangle of the last two dimensions, zeros below `diagonal`."""
def triu_indices(row, col, offset=0, *, dtype=...) -> Tensor:
    """Rows and columns of the elements on and above the diagonal `offset`: `(2, n)`."""
def trunc(input) -> Tensor:
    """$x$ rounded toward zero, element by element."""
def unbind(input, dim=0) -> builtins.tuple[Tensor, ...]:
    """Return the slices along `axis`, which is removed, a tuple; `num`: their number, if given."""
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> Tensor:
    """The distinct elements (along `dim`, the distinct slices), sorted; then, if requested, each element's index among them and their counts, Int64."""
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None) -> Any:
    """The elements (along `dim`, the slices) that differ from the previous one; then, if requested, the index among them of each element and their repetition counts, Int64."""
def unsqueeze(input, dim) -> Tensor:
    """Insert a dimension of size 1 at `axis`."""
def var(input, dim=None, *, correction=1, keepdim=False) -> Tensor:
    r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
def var_mean(input, dim=None, *, correction=1, keepdim=False) -> Tensor:
    r"""Variance $\frac{1}{n - ddof} \sum_i (x_i - \bar x)^2$ along `axis`: an int, a tuple of ints, or None for all."""
def vdot(input, other) -> Tensor:
    r"""$\sum_i \bar x_i y_i$ of two vectors."""
def view(input, shape) -> Tensor:
    """The elements, in row-major order, in another shape; a single -1 in it is inferred."""
def where(condition, input, other) -> Tensor:
    """`input` where `condition` is nonzero, else `other`, all broadcast together."""
def xlogy(input, other) -> Tensor:
    r"""$input \cdot \ln other$, and 0 where `input` is 0."""
def zeros(size, *, dtype=None) -> Tensor:
    """Zeros of shape `size` (an int or a tuple of ints), Float32 unless a `dtype` is given."""
def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros of the shape of `input`, in its dtype unless another is given."""
