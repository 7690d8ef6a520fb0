"""Primitives of MindSpore's private and generated modules, in terms of the public functions.

Each is a class, most without attributes, whose call has MindSpore's parameters.
"""

import numpy as np

from sporax import Tensor, mint, nn, ops
from sporax import numpy as ms_numpy
from sporax._src.core.from_host import plain
from sporax.ops.primitive import Primitive


def index(input, indices):
    """Return `input[indices]` for a list of int or bool Tensors; None selects a whole axis."""
    return input[tuple([slice(None) if i is None else i for i in indices])]


def correlate(a, v, mode="valid"):
    """`numpy.correlate` of two 1-d Tensors."""
    return ms_numpy.correlate(a, v, mode)


def new_ones(input, size, *, dtype=None):
    """`Tensor.new_ones` as a function."""
    return input.new_ones(size, dtype=dtype)


def new_zeros(input, size, *, dtype=None):
    """`Tensor.new_zeros` as a function."""
    return input.new_zeros(size, dtype=dtype)


def uniform_ext(tensor, a, b, generator=None):
    """Sample uniformly from [a, b), with the shape and dtype of `tensor`."""
    return mint.rand_like(tensor) * (b - a) + a


def inplace_matmul_add_op(x, weight, C):
    """`C += x.T @ weight`, in C's dtype; returns C."""
    return C.add_(ops.matmul(x.astype(C.dtype).swapaxes(-1, -2), weight.astype(C.dtype)))


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT"):
    """Replace diagonals of `input_x`: `ops.MatrixSetDiagV3`."""
    return ops.MatrixSetDiagV3(alignment)(input_x, diagonal, Tensor(np.int32(k)))


def _slice(input, dim, start, end, step):
    return input[(slice(None),) * (dim % input.ndim) + (slice(start, end, step),)]


def _split_with_size(input, split_size, dim=0):
    return tuple(mint.split(input, list(plain(split_size)), dim))


def _copy_slices(x, value, begin, end, strides):
    result = x.copy()
    result[tuple(map(slice, begin, end, strides))] = value
    return result


def _resize(mode):
    def resize(x, output_size=None, scales=None, align_corners=None):
        size = None if output_size is None else tuple(plain(output_size))
        scale = None if scales is None else tuple(plain(scales))
        return ops.interpolate(x, size, scale, mode, align_corners)

    return resize


def _cross_entropy(
    input, target, weight=None, reduction="mean", ignore_index=-100, label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0, return_zloss=False,
):  # fmt: skip
    """Return (loss, log probabilities, loss of the squared logsumexp, logsumexp)."""
    loss = ops.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    lse = ops.logsumexp(input, 1)
    square = lse_square_scale_for_zloss * (lse * lse)
    square = {"mean": square.mean, "sum": square.sum}.get(reduction, lambda: square)()
    shown = square if return_zloss else Tensor(np.zeros(0, np.float32))
    return loss.reshape(-1), ops.log_softmax(input, 1), shown, lse


def _broadcast_axes(first, second):
    """Return the axes over which to sum the gradient of each operand of a broadcast operation."""
    shapes = [x.asnumpy().tolist() if isinstance(x, Tensor) else list(x) for x in (first, second)]
    rank = max(map(len, shapes))
    padded = [[1] * (rank - len(s)) + s for s in shapes]
    result = np.broadcast_shapes(*map(tuple, shapes))
    axes = [[i for i in range(rank) if p[i] == 1 and result[i] != 1] for p in padded]
    return tuple(Tensor(np.array(a, np.int64)) for a in axes)


def _cast_all(dtype, x):
    if isinstance(x, (tuple, list)):
        return tuple(_cast_all(dtype, item) for item in x)
    return x.astype(dtype) if isinstance(x, Tensor) and x.is_floating_point() else x


def _uniques(input, dim=None, sorted=True):
    return mint.unique(input, sorted, True, True, dim)


def _affine_grid_grad(y_grad, x_size, align_corners=False):
    size = tuple(plain(x_size.asnumpy().tolist() if isinstance(x_size, Tensor) else x_size))
    theta = Tensor(np.zeros((size[0], len(size) - 2, len(size) - 1)), y_grad.dtype)
    of_theta = lambda theta: (ops.affine_grid(theta, size, align_corners) * y_grad).sum()  # noqa: E731
    return ops.grad(of_theta)(theta)


def _embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
):
    return mint.nn.functional.embedding(
        input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq
    )


def _sparse_momentum(var, accum, lr, grad, indices, momentum):
    """Apply a momentum step to some rows; return `var`."""
    accum[indices] = accum[indices] * momentum + grad
    var[indices] = var[indices] - lr * accum[indices]
    return var


def _sparse_proximal(var, alpha, l1, l2, grad, indices):
    """Apply a proximal gradient step to some rows; return `var`."""
    step = var[indices] - alpha * grad
    shrunk = ops.sign(step) * ops.relu(ops.abs(step) - alpha * l1)
    var[indices] = shrunk / (1 + alpha * l2)
    return var


# class name -> computation of a call
_CALLS = {
    "AddV2": lambda x, y: ops.add(x, y),
    "AffineGridGrad": _affine_grid_grad,
    "AvgPool2D": lambda input, *args, **kwargs: mint.nn.functional.avg_pool2d(
        input, *args, **kwargs
    ),
    "CrossEntropyLoss": _cross_entropy,
    "DynamicBroadcastGradientArgs": _broadcast_axes,
    "Embedding": _embedding,
    "ExpandDimsView": lambda input, dim: ops.expand_dims(input, dim),
    "InnerIndex": index,
    "InnerInplaceIndexPut": lambda input, indices, values, accumulate=False: input.index_put_(
        indices, values, accumulate
    ),
    "InnerNonZero": lambda input: ops.nonzero(input).T,
    "LinSpaceExt": lambda start, end, steps, dtype=None: mint.linspace(
        start, end, steps, dtype=dtype
    ),
    "ListToTuple": tuple,
    "LogSigmoid": lambda input: (
        mint.nn.functional.logsigmoid(input),
        ops.exp(-ops.abs(input)),
    ),
    "MaxDim": lambda input, dim, keepdim=False: mint.max(input, dim, keepdim),  # type: ignore[reportCallIssue]  # overloaded
    "MinDim": lambda input, dim, keepdim=False: mint.min(input, dim, keepdim),  # type: ignore[reportCallIssue]  # overloaded
    "MixedPrecisionCast": _cast_all,
    "NewOnes": lambda input, size, dtype=None: new_ones(input, size, dtype=dtype),
    "NewZeros": lambda input, size, dtype=None: new_zeros(input, size, dtype=dtype),
    "ScatterAddExt": lambda input, dim, index, src: mint.scatter_add(input, dim, index, src),
    "SelfAdjointEig": lambda x: ops.Eigh()(x),
    "SliceExtView": _slice,
    "SplitWithSize": _split_with_size,
    "SparseApplyMomentum": _sparse_momentum,
    "SparseApplyProximalGradientDescent": _sparse_proximal,
    "TensorCopySlices": _copy_slices,
    "TupleToList": list,
    "Unique2": lambda input, sorted=True, return_inverse=False, return_counts=False: _uniques(
        input, None, sorted
    ),
    "UniqueDim": lambda input, sorted, return_inverse, dim: _uniques(input, dim, sorted),
    "UniformExt": lambda tensor, a, b, seed, offset: uniform_ext(tensor, a, b),
    "UpsampleBilinear2D": _resize("bilinear"),
    "UpsampleNearest1D": _resize("nearest"),
    "UpsampleNearest2D": _resize("nearest"),
    "XLogYScalarOther": lambda input, other: ops.xlogy(input, other),
    "XLogYScalarSelf": lambda input, other: ops.xlogy(input, other),
}


def _declare(name, compute):
    def __init__(self):
        Primitive.__init__(self, name)

    def __call__(self, *args, **kwargs):
        return compute(*args, **kwargs)

    doc = "A Primitive of MindSpore's private modules, computed by public functions."
    members = {"__init__": __init__, "__call__": __call__, "__doc__": doc, "__module__": __name__}
    return type(name, (Primitive,), members)


globals().update({name: _declare(name, compute) for name, compute in _CALLS.items()})


class ClipByNorm(Primitive):
    """`ClipByNorm(axis=None)(x, clip_norm)`: as `nn.ClipByNorm` along `axis`."""

    def __init__(self, axis=None):
        super().__init__("ClipByNorm")
        self.axis = axis

    def __call__(self, x, clip_norm):
        return nn.ClipByNorm(self.axis)(x, clip_norm)


class FakeQuantParam(Primitive):
    """Returns its input; the attributes say how to quantize it."""

    attr_key_linear_quant_scale = "linear_quant_scale"
    attr_key_linear_quant_zero_point = "linear_quant_zero_point"
    attr_value_linear_quant_algo_name = "linear_quant_algo"

    def __init__(self, quant_dtype, quant_algo_name, is_per_channel, **kwargs):
        super().__init__("FakeQuantParam")
        own = {"quant_algo_name": quant_algo_name, "is_per_channel": is_per_channel}
        for key, value in (own | {"quant_dtype": quant_dtype.value()} | kwargs).items():
            self.add_prim_attr(key, value)

    @classmethod
    def linear_quant_param(cls, quant_dtype, scale, zp, is_per_channel=False, **kwargs):
        """Create one for `(q - zp) * scale`; `scale`, `zp`: numbers, or lists of a channel each."""
        kwargs[cls.attr_key_linear_quant_scale] = [scale] if isinstance(scale, float) else scale
        kwargs[cls.attr_key_linear_quant_zero_point] = [zp] if isinstance(zp, int) else zp
        return cls(quant_dtype, cls.attr_value_linear_quant_algo_name, is_per_channel, **kwargs)

    def __call__(self, input_x):
        return input_x


clamp_scalar = clamp_tensor = ops.clamp
