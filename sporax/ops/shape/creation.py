"""Creation of tensors with given contents."""

from typing import Any

import jax.numpy as jnp
from jax.export import is_symbolic_dim

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.meta import device_of, on_device
from sporax.ops.declare import Array, Arrays, attach, composite, op


def is_size(n):
    """Return True if `n` may be a size: an int, or a symbolic size of an exported function."""
    return isinstance(n, int) or is_symbolic_dim(n)


def _dtype(dtype, default: Any = dtypes.float32):
    return dtypes.to_numpy(default if dtype is None else dtype)


def _shape(size) -> tuple[int, ...]:
    sizes = (size,) if is_size(size) else size
    are_sizes = isinstance(sizes, (tuple, list)) and all(is_size(n) for n in sizes)
    require(are_sizes, "size-int-tuple-ints", got=size)
    require(all(n >= 0 for n in sizes), "sizes-at-least-0", got=size)
    return tuple(sizes)


@op(
    function="zeros(size, dtype=None)", primitive="Zeros()(size, dtype=None)",
    mint="zeros(size, *, dtype=None)", differentiable=False,
)  # fmt: skip
def zeros(size, dtype=None):
    """Zeros of shape `size` (an int or a tuple of ints), Float32 unless a `dtype` is given.

    >>> ops.zeros((1, 2)).asnumpy()
    array([[0., 0.]], dtype=float32)
    """
    return jnp.zeros(_shape(size), _dtype(dtype))


def _check_pinned(name, device, pin_memory):
    """Raise RuntimeError for pinned memory on a device other than the CPU."""
    require(not pin_memory or str(device).lower() == "cpu", "cpu-pin-memory", name, device=device)


@composite(mint=True)
def empty(*size, dtype=None, device=None, pin_memory=False):
    """Create a Tensor of that size with unspecified elements: zeros. XLA chooses the device.

    `pin_memory` requires `device='cpu'`, and has no further effect.

    >>> ops.empty(2, 3).shape
    (2, 3)
    """
    _check_pinned("empty", device, pin_memory)
    with on_device(device):
        return zeros(size[0] if len(size) == 1 else size, dtype)


@op(
    function="ones(shape, dtype=None)", primitive="Ones()(shape, dtype=None)",
    mint="ones(size: shape, *, dtype=None)", differentiable=False,
)  # fmt: skip
def ones(shape, dtype=None):
    """Ones of that `shape` (an int or a tuple of ints), Float32 unless a `dtype` is given.

    >>> ops.ones((1, 2)).asnumpy()
    array([[1., 1.]], dtype=float32)
    """
    return jnp.ones(_shape(shape), _dtype(dtype))


@op(
    function=(
        "full(size, fill_value, *, dtype=None)",
        "fill(type: dtype, shape: size, value: fill_value)",
    ),
    primitive=(
        "Fill()(dtype, dims: size, x: fill_value)", "FillV2()(shape: size, value: fill_value)"
    ),
    mint="full(size, fill_value, *, dtype=None)",
)  # fmt: skip
def full(size, fill_value: Array, *, dtype=None):
    """`fill_value` in the shape `size`, in `dtype` or else in the dtype of the value.

    >>> ops.full((2,), 3.0).asnumpy()
    array([3., 3.], dtype=float32)
    """
    wanted = fill_value.dtype if dtype is None else dtypes.to_numpy(dtype)
    return jnp.broadcast_to(fill_value.astype(wanted), _shape(size))


@op(
    function="zeros_like(input, *, dtype=None)", primitive="ZerosLike()(x: input)",
    mint="zeros_like(input, *, dtype=None)", differentiable=False,
)  # fmt: skip
def zeros_like(input: Array, *, dtype=None):
    """Zeros of the shape of `input`, in its dtype unless another is given.

    >>> ops.zeros_like(Tensor([1, 2])).asnumpy()
    array([0, 0])
    """
    return jnp.zeros(input.shape, _dtype(dtype, input.dtype))


@op(
    function="ones_like(input, *, dtype=None)", primitive="OnesLike()(x: input)",
    mint="ones_like(input, *, dtype=None)", differentiable=False,
)  # fmt: skip
def ones_like(input: Array, *, dtype=None):
    """Ones of the shape of `input`, in its dtype unless another is given.

    >>> ops.ones_like(Tensor([1, 2])).asnumpy()
    array([1, 1])
    """
    return jnp.ones(input.shape, _dtype(dtype, input.dtype))


@op(
    tensor=("fill(input, value: fill_value)", "fills(input, value: fill_value)"),
    mint="full_like(input, fill_value, *, dtype=None)",
)  # fmt: skip
def full_like(input: Array, fill_value: Array, *, dtype=None):
    """`fill_value` in the shape of `input`, in its dtype unless another is given.

    >>> ops.full_like(Tensor([1, 2]), 7).asnumpy()
    array([7, 7])
    """
    return jnp.broadcast_to(fill_value.astype(_dtype(dtype, input.dtype)), input.shape)


@composite(tensor=True, function=())
def new_zeros(input, size, dtype=None):
    """Zeros of shape `size`, in the tensor's dtype unless another is given.

    >>> Tensor([1.0]).new_zeros((2,)).asnumpy()
    array([0., 0.], dtype=float32)
    """
    with on_device(device_of(input, None)):
        return zeros(size, input.dtype if dtype is None else dtype)


@composite(tensor=True, function=())
def new_ones(input, size, dtype=None):
    """Ones of shape `size`, in the tensor's dtype unless another is given.

    >>> Tensor([1.0]).new_ones((2,)).asnumpy()
    array([1., 1.], dtype=float32)
    """
    with on_device(device_of(input, None)):
        return ones(size, input.dtype if dtype is None else dtype)


@composite(tensor=True, function=())
def new_full(input, size, fill_value, *, dtype=None):
    """`fill_value` in the shape `size`, in the tensor's dtype unless another is given.

    >>> Tensor([1.0]).new_full((2,), 3.0).asnumpy()
    array([3., 3.], dtype=float32)
    """
    with on_device(device_of(input, None)):
        return full(size, fill_value, dtype=input.dtype if dtype is None else dtype)


@composite(mint=True, function=())
def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """A Tensor of the input's shape, in its dtype or another, with unspecified elements: zeros.

    >>> mint.empty_like(Tensor([1, 2])).dtype
    mindspore.int64
    """
    require(isinstance(input, Tensor), "tensor-argument-type-creation", "empty_like", input=input)
    _check_pinned("empty_like", device, pin_memory)
    with on_device(device_of(input, device)):
        return zeros(input.shape, input.dtype if dtype is None else dtype)


@composite(tensor=True, function=())
def new_empty(input, size, dtype=None, device=None):
    """Create a tensor of shape `size` to be filled, in the tensor's dtype or another: zeros.

    >>> Tensor([1.0]).new_empty((2, 3)).shape
    (2, 3)
    """
    with on_device(device_of(input, device)):
        return zeros(size, input.dtype if dtype is None else dtype)


def _fill_in_place(self, value):
    """Set every element to `value`.

    >>> Tensor([1.0, 2.0]).fill_(3.0).asnumpy()
    array([3., 3.], dtype=float32)
    """
    return self._rebind(full_like(self, value)._value)


def _zero_in_place(self):
    """Set every element to zero.

    >>> Tensor([1.0, 2.0]).zero_().asnumpy()
    array([0., 0.], dtype=float32)
    """
    return self._rebind(zeros_like(self)._value)


attach("fill_", _fill_in_place)
attach("zero_", _zero_in_place)


@composite(primitive="Fills()(x, value)")
def fills(x, value):
    """`value`, a number or a 0-d Tensor, in the shape and dtype of `x`.

    >>> ops.fills(Tensor([1.0, 2.0]), 7).asnumpy()
    array([7., 7.], dtype=float32)
    """
    require(isinstance(value, (int, float, Tensor)), "int-float-tensor", "fills", value=value)
    if isinstance(value, Tensor):
        require(not value.ndim, "no-axes", "fills", argument="value", shape=value.shape)
    return full_like(x, value)


# progressions -------------------------------------------------------------------------------


@op(name="Range", function=(), differentiable=False)
def arange_with_dtype(start, end, step, dtype):
    """$start, start + step, \\ldots$ before `end`; `arange` calls it."""
    require(step != 0, "nonzero", step=step)
    return jnp.arange(start, end, step, dtype=dtypes.to_numpy(dtype))


def _number(x):
    """Return a Python number; a Tensor is read, because it determines a shape."""
    return x.item() if isinstance(x, Tensor) else x


@composite(mint=True)
def arange(start=0, end=None, step=1, *, dtype=None):
    """$start, start + step, \\ldots$ before `end`; with one argument, from 0 up to it.

    Int64 if all three are integers, else Float32, unless a `dtype` is given.

    >>> ops.arange(1, 4).asnumpy()
    array([1, 2, 3])
    """
    start, end, step = _number(start), _number(end), _number(step)
    if end is None:
        start, end = 0, start
    if dtype is None:
        whole = all(isinstance(n, int) for n in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.float32
    return arange_with_dtype(start, end, step, dtype)


@composite(primitive="Range(maxlen=1000000)(start, end, step)")
def range(start, end, step, maxlen=1000000):
    """As `arange(start, end, step)`, with at most `maxlen` elements.

    >>> ops.range(0, 6, 2).asnumpy()
    array([0, 2, 4])
    """
    result = arange(start, end, step)
    size = result.size
    require(size <= maxlen, "at-most-maxlen-elements", "range", maxlen=maxlen, got=size)
    return result


@op(
    function="linspace(start, end, steps)", primitive="LinSpace()(start, stop: end, num: steps)",
    mint="linspace(start, end, steps, *, dtype=None)",
)  # fmt: skip
def linspace(start: Array, end: Array, steps, dtype=None):
    """`steps` equally spaced numbers from `start` to `end`, both included; Float32.

    >>> ops.linspace(0, 1, 3).asnumpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    kind = jnp.result_type(start, end)
    kind = kind if jnp.issubdtype(kind, jnp.inexact) else jnp.float32
    result = jnp.linspace(start.astype(kind), end.astype(kind), steps, dtype=kind)
    return result.astype(_dtype(dtype, result.dtype))


@op(
    function="logspace(start, end, steps, base=10, *, dtype=float32)",
    primitive="LogSpace(steps=10, base=10, dtype=float32)(start, end)",
)  # fmt: skip
def logspace(start: Array, end: Array, steps, base=10, dtype=dtypes.float32):
    """`steps` powers of `base` with equally spaced exponents from `start` to `end`.

    >>> ops.logspace(0.0, 2.0, 3).asnumpy()
    array([  1.,  10., 100.], dtype=float32)
    """
    for name, value in (("steps", steps), ("base", base)):
        is_count = kinds.COUNT.accepts(value)
        require(is_count, "int-at-least", argument=name, n=0, got=value)
    wanted = _dtype(dtype)
    require(
        jnp.issubdtype(wanted, jnp.floating), "must-be-type", dtype=dtype, kind="a-floating-dtype"
    )
    kind = jnp.promote_types(wanted, jnp.float32)
    exponents = jnp.linspace(start.astype(kind), end.astype(kind), steps, dtype=kind)
    return (jnp.asarray(base, kind) ** exponents).astype(wanted)


@op(
    function="eye(n, m=None, dtype=None)", primitive="Eye()(n, m, dtype)",
    mint="eye(n, m=None, dtype=None)", differentiable=False,
    numpy="eye(N: n, M: m=None, k: diagonal=0, dtype=float32)",
)  # fmt: skip
def eye(n, m=None, dtype=None, diagonal=0):
    """An `n` by `m` matrix (`m` is `n` by default) with ones on the diagonal, Float32 by default.

    NumPy's face also takes `k`, the offset of the diagonal above the main one.

    >>> ops.eye(2).asnumpy()
    array([[1., 0.],
           [0., 1.]], dtype=float32)
    """
    rows, columns = _shape((n, n if m is None else m))
    require(isinstance(diagonal, int), "diagonal-int", got=diagonal)
    return jnp.eye(rows, columns, diagonal, _dtype(dtype))


# matrices -----------------------------------------------------------------------------------


@op(primitive="Tril(diagonal=0)(input)", tensor=True, mint=True)
def tril(input: Array, diagonal=0):
    """The lower triangle of the last two dimensions, zeros above `diagonal`.

    >>> ops.tril(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 0],
           [3, 4]])
    """
    return jnp.tril(input, diagonal)


@op(primitive="Triu(diagonal=0)(input)", tensor=True, mint=True)
def triu(input: Array, diagonal=0):
    """The upper triangle of the last two dimensions, zeros below `diagonal`.

    >>> ops.triu(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([[1, 2],
           [0, 4]])
    """
    return jnp.triu(input, diagonal)


@op(primitive="Diag()(input)", tensor="diag(input)")
def diag(input: Array):
    """The elements of `input` on the diagonal of twice as many dimensions, zeros elsewhere.

    >>> ops.diag(Tensor([1, 2])).asnumpy()
    array([[1, 0],
           [0, 2]])
    """
    flat = jnp.diag(jnp.reshape(input, (-1,)))
    return jnp.reshape(flat, input.shape * 2)


@op(
    function="diagonal(input, offset=0, dim1=0, dim2=1)",
    tensor="diagonal(input, offset=0, axis1: dim1=0, axis2: dim2=1)",
    primitive="DiagPart()(x: input)",
    numpy="diagonal(a: input, offset=0, axis1: dim1=0, axis2: dim2=1)",
    view=lambda layout, offset=0, dim1=0, dim2=1: layout.diagonal(offset, dim1, dim2),
)
def diagonal(input: Array, offset=0, dim1=0, dim2=1):
    """The diagonal of two dimensions, `offset` above the main one, as the last dimension.

    >>> ops.diagonal(Tensor([[1, 2], [3, 4]])).asnumpy()
    array([1, 4])
    """
    return jnp.diagonal(input, offset, dim1, dim2)


@op(function=(), primitive="Meshgrid(indexing='xy')(inputs)")
def meshgrid_of_class(inputs: Arrays, indexing="xy") -> Arrays:
    """Return the coordinates of a grid over 1-d tensors; `meshgrid` calls it.

    >>> ops.Meshgrid(indexing="ij")((Tensor([1, 2]), Tensor([3, 4, 5])))[0].shape
    (2, 3)
    """
    return tuple(jnp.meshgrid(*map(jnp.atleast_1d, inputs), indexing=indexing))


@composite()
def meshgrid(*inputs, indexing="xy") -> Arrays:
    """Return coordinate tensors of the grid over 1-d `inputs`, a tuple.

    `indexing`: with 'xy' the first input varies along columns, with 'ij' along rows.

    >>> [t.shape for t in ops.meshgrid(ops.ones(3), ops.ones(2))]
    [(2, 3), (2, 3)]
    """
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = inputs[0]
    return meshgrid_of_class(inputs, indexing)


@composite(mint="meshgrid", function=())
def mint_meshgrid(*tensors, indexing=None):
    """Return coordinate tensors of the grid over 1-d tensors; rows first by default.

    >>> mint.meshgrid(Tensor([1, 2]), Tensor([3, 4, 5]), indexing="ij")[0].shape
    (2, 3)
    """
    return meshgrid(*tensors, indexing=indexing or "ij")
