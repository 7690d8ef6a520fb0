"""Array operations as layers: OneHot, Norm, Range, MatMul, Flatten and others."""

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float16, float32, int32
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.layer_inputs import check_inputs


class OneHot(Cell):
    """One-hot encoding on a new axis of size `depth`: `on_value` at each index, else `off_value`.

    >>> nn.OneHot(depth=3)(Tensor([0, 2])).asnumpy()
    array([[1., 0., 0.],
           [0., 0., 1.]], dtype=float32)
    """

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=float32):
        super().__init__()
        self.axis, self.depth, self.dtype = axis, depth, dtype
        self.on_value, self.off_value = on_value, off_value

    def construct(self, indices):
        on, off = (ops.cast(v, self.dtype) for v in (self.on_value, self.off_value))
        return ops.one_hot(indices, self.depth, on, off, self.axis)


_INTS = kinds.instance((int, list, tuple), "int-or-ints")


class Norm(Cell):
    r"""$\sqrt{\sum x^2}$ along `axis` (default: all axes); `keep_dims`: keep it with size 1.

    >>> nn.Norm()(Tensor([3.0, 4.0])).item()
    5.0
    """

    def __init__(self, axis=(), keep_dims=False):
        super().__init__()
        kinds.BOOL("Norm", keep_dims=keep_dims)
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        return ops.norm(x, dim=None if self.axis == () else self.axis, keepdim=self.keep_dims)

    def extend_repr(self):
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ClipByNorm(Cell):
    r"""$x$ rescaled to $\|x\|_2 = c$ where its norm, along `axis` or overall, is greater.

    Called with `x` and `clip_norm` c, which is broadcast.

    >>> nn.ClipByNorm()(Tensor([3.0, 4.0]), Tensor(1.0)).asnumpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm):
        check_inputs("ClipByNorm", x)
        length = ops.norm(x.astype(float32), dim=self.axis, keepdim=True)
        return x * clip_norm / ops.maximum(length, clip_norm)


class Moments(Cell):
    """Mean and biased variance along `axis` (default: all axes), computed in Float32.

    `keep_dims`: keep `axis` with size 1.

    >>> mean, variance = nn.Moments()(Tensor([1.0, 3.0]))
    >>> mean.item(), variance.item()
    (2.0, 1.0)
    """

    def __init__(self, axis=None, keep_dims=None):
        super().__init__()
        kinds.optional(kinds.BOOL)("Moments", keep_dims=keep_dims)
        self.axis = () if axis is None else axis
        self.keep_dims = bool(keep_dims)

    def construct(self, x):
        check_inputs("Moments", x)
        dtypes = float16, float32
        require(x.dtype in dtypes, "dtype-one-of", "Moments", x=x.dtype, dtypes=dtypes)
        wide = x.astype(float32)
        mean = wide.mean(self.axis, True)
        variance = ops.square(wide - mean).mean(self.axis, self.keep_dims)
        mean = mean if self.keep_dims else wide.mean(self.axis)
        return mean.astype(x.dtype), variance.astype(x.dtype)


class ReduceLogSumExp(Cell):
    r"""$\ln \sum e^x$ along `axis`; `keep_dims`: keep it with size 1.

    >>> nn.ReduceLogSumExp(1)(Tensor([[0.0, 0.0]])).asnumpy().round(3)
    array([0.693], dtype=float32)
    """

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        _INTS("ReduceLogSumExp", axis=axis)
        kinds.BOOL("ReduceLogSumExp", keep_dims=keep_dims)
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        every = tuple(range(x.ndim)) if self.axis in ((), []) else self.axis
        return ops.logsumexp(x, every, self.keep_dims)


class Range(Cell):
    """The values `start, start + delta, ...` below `limit`, as Int32 or Float32; called without
    arguments. With `start` alone, the range from 0 to `start`.

    >>> nn.Range(1, 8, 2)().asnumpy()
    array([1, 3, 5, 7], dtype=int32)
    """

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        require(delta != 0, "not-0", "Range", argument="delta")
        numbers = np.arange(start, limit, delta) if limit is not None else np.arange(start)
        self.result_tensor = Tensor(numbers, float32 if numbers.dtype.kind == "f" else int32)

    def construct(self):
        return self.result_tensor


class Triu(Cell):
    """The upper triangle of the last two axes on and above the `k`-th diagonal.

    >>> nn.Triu()(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 2],
           [0, 4]])
    """

    def __init__(self):
        super().__init__()

    def construct(self, x, k=0):
        return ops.triu(x, k)


class Tril(Cell):
    """The lower triangle of the last two axes on and below the `k`-th diagonal.

    >>> nn.Tril()(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 0],
           [3, 4]])
    """

    def __init__(self):
        super().__init__()

    def construct(self, x, k=0):
        return ops.tril(x, k)


class MatMul(Cell):
    """$x_1 x_2$ with broadcast leading axes; superseded by `ops.matmul`.

    `transpose_x1`, `transpose_x2`: swap the last two axes of an operand first; vectors are
    unchanged.

    >>> nn.MatMul(transpose_x2=True)(ops.ones((2, 3)), ops.ones((4, 3))).shape
    (2, 4)
    """

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        if self.transpose_x1 and x1.ndim > 1:
            x1 = x1.swapaxes(-1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = x2.swapaxes(-1, -2)
        return ops.matmul(x1, x2)


class Flatten(Cell):
    """Flatten the axes from `start_dim` to `end_dim`: `(N, a, b)` -> `(N, a b)` by default.

    >>> nn.Flatten()(ops.ones((2, 3, 4))).shape
    (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x):
        return ops.flatten(x, start_dim=self.start_dim, end_dim=self.end_dim)


class Unflatten(Cell):
    """Split `axis` into axes of the sizes `unflattened_size`, one of which may be -1.

    >>> nn.Unflatten(1, (2, -1))(ops.ones((3, 6, 5))).shape
    (3, 2, 3, 5)
    """

    def __init__(self, axis, unflattened_size):
        super().__init__()
        kinds.INT("Unflatten", axis=axis)
        kinds.SEQUENCE("Unflatten", unflattened_size=unflattened_size)
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        check_inputs("Unflatten", input_x)
        shape, axis, n = input_x.shape, self.axis, input_x.ndim
        interval = f"[{-n}, {n})"
        require(-n <= axis < n, "in-interval", "Unflatten", axis=axis, interval=interval)
        axis %= len(shape)
        return input_x.reshape(*shape[:axis], *self.unflattened_size, *shape[axis + 1 :])


class Roll(Cell):
    """Roll elements by `shift` along `axis`, wrapping around; superseded by `ops.roll`.
    `shift`, `axis`: ints, or tuples of equal length.

    >>> nn.Roll(2, 0)(Tensor([0, 1, 2, 3, 4])).asnumpy()
    array([3, 4, 0, 1, 2])
    """

    def __init__(self, shift, axis):
        super().__init__()
        _INTS("Roll", shift=shift, axis=axis)
        self.shift = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,)
        self.axis = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
        shifts, axes = len(self.shift), len(self.axis)
        require(shifts == axes, "equally-long", "Roll", shift=shifts, other="axis", count=axes)

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class L1Regularizer(Cell):
    r"""$scale \sum |w|$, a penalty term for a loss; `scale` must be positive and finite.

    >>> nn.L1Regularizer(0.5)(Tensor([1.0, -3.0])).item()
    2.0
    """

    def __init__(self, scale):
        super().__init__()
        kinds.POSITIVE("L1Regularizer", scale=scale)
        require(np.isfinite(scale), "finite", "L1Regularizer", scale=scale)
        self.scale = Tensor(scale, float32)

    def construct(self, weights):
        check_inputs("L1Regularizer", weights)
        return self.scale * weights.abs().sum()


class MatrixDiagPart(Cell):
    """The main diagonal of the last two axes: `(*, M, N)` -> `(*, min(M, N))`.

    >>> nn.MatrixDiagPart()(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([1, 4])
    """

    def __init__(self):
        super().__init__()

    def construct(self, input_x):
        return ops.diagonal(input_x, 0, -2, -1)
