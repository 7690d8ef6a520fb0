"""Padding of tensors."""

import operator

import jax
import jax.numpy as jnp

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.ops.declare import OPTIONAL, Array, composite, op
from sporax.ops.operand_checks import require_shapes

# MindSpore's padding mode -> JAX's, the most elements that may be added to an axis of size n
_MODES = {
    "constant": ("constant", None),
    "reflect": ("reflect", lambda n: n - 1),
    "symmetric": ("symmetric", lambda n: n),
    "replicate": ("edge", None),
    "edge": ("edge", None),
    "circular": ("wrap", lambda n: n),
}
_MODE, _MIRROR_MODE = kinds.one_of(*_MODES), kinds.one_of("REFLECT", "SYMMETRIC")


@op(name="Pad", function=())
def pad_each_side(input: Array, value: OPTIONAL = None, *, paddings, mode):
    """Pad `input` by `paddings` ((before, after) for each axis); negative ones crop."""
    _MODE(None, mode=mode)
    require(len(paddings) == input.ndim, "paddings-given-axes", ndim=input.ndim, got=paddings)
    kind, most = _MODES[mode]
    added = tuple(tuple(max(n, 0) for n in sides) for sides in paddings)
    if mode == "circular":  # of what stays
        input, paddings = _cropped(input, paddings), added
    for n, sides in zip(input.shape, paddings, strict=True):
        if most is not None and max(sides) > most(n):
            raise rejection("mode-add-at-most-axis", mode=mode, most=most(n), n=n, got=sides)
    if mode == "constant":
        out = _zeros_around(input, paddings)
        if value is None:
            return out
        # JAX cannot differentiate `lax.pad` with respect to its value alone
        inside = _zeros_around(jnp.ones(input.shape, bool), paddings)
        return jnp.where(inside, out, value.astype(input.dtype))
    return _cropped(jnp.pad(input, added, kind), paddings)


def _cropped(x, paddings):
    """Crop `x` by what is negative."""
    kept = [
        slice(max(-before, 0), size - max(-after, 0))
        for size, (before, after) in zip(x.shape, paddings, strict=True)
    ]
    return x[tuple(kept)]


def _zeros_around(x, paddings):
    return jax.lax.pad(x, jnp.zeros((), x.dtype), [(*sides, 0) for sides in paddings])


def _ints(who, name, padding):
    values = padding.asnumpy().ravel().tolist() if isinstance(padding, Tensor) else padding
    try:
        return [operator.index(n) for n in values]
    except TypeError:
        raise rejection("integers-argument-type", who, argument=name, got=padding) from None


@composite(mint="nn.functional.pad(input: input_x, pad: padding, mode='constant', value=None)")
def pad(input_x, padding, mode="constant", value=None):
    """Pad or crop `input_x`.

    `padding`: (before, after) for the last axis, then the one before it, and so on; negative
    numbers crop. `mode`: 'constant' (`value`, 0 by default), 'reflect' (without the edge),
    'replicate' (the edge) or 'circular' (the opposite end).

    >>> ops.pad(Tensor([1, 2, 3]), (1, 2), value=9).asnumpy()
    array([9, 1, 2, 3, 9, 9])
    """
    numbers = _ints("pad", "padding", padding)
    fits = not len(numbers) % 2 and len(numbers) <= 2 * input_x.ndim
    require(fits, "2-ints-at-most-axes", "pad", padding=len(numbers), ndim=input_x.ndim)
    require(mode == "constant" or value is None, "none-mode", "pad", value=value, mode=mode)
    last = list(zip(numbers[::2], numbers[1::2], strict=True))[::-1]
    pairs = ((0, 0),) * (input_x.ndim - len(last)) + tuple(last)
    return pad_each_side(input_x, value, paddings=pairs, mode=mode)


def _pairs(who, paddings):
    """Return ((before, after) of each axis) from nested sequences or a Tensor."""
    rows = paddings.asnumpy().tolist() if isinstance(paddings, Tensor) else paddings
    pairs = tuple(tuple(_ints(who, "paddings", row)) for row in rows)
    are_valid = all(n >= 0 for pair in pairs for n in pair)
    require(are_valid, "paddings-at-least-0", who, paddings=pairs)
    return pairs


@composite(primitive="Pad(paddings)(x)", function=())
def pad_axes(x, paddings):
    """Pad `x` with zeros: `paddings` has (before, after) for each axis.

    >>> ops.Pad(((0, 0), (1, 1)))(Tensor([[1.0, 2.0]])).asnumpy()
    array([[0., 1., 2., 0.]], dtype=float32)
    """
    return pad_each_side(x, paddings=_pairs("Pad", paddings), mode="constant")


@composite(
    primitive="MirrorPad(mode='REFLECT')(input_x: x, paddings)",
    function="mirror_pad(input_x: x, paddings, mode)",
)
def mirror_pad(x, paddings, mode="REFLECT"):
    """Reflect `x` at its edges, without them ('REFLECT') or with them ('SYMMETRIC').

    >>> ops.MirrorPad()(Tensor([[1, 2, 3]]), Tensor([[0, 0], [1, 1]])).asnumpy()
    array([[2, 1, 2, 3, 2]])
    """
    _MIRROR_MODE("MirrorPad", mode=mode)
    return pad_each_side(x, paddings=_pairs("MirrorPad", paddings), mode=mode.lower())


@composite(primitive="Padding(pad_dim_size=8)(x)")
def padding(x, pad_dim_size=8):
    """`x` `(*, 1)` -> `(*, pad_dim_size)`, with zeros appended along the last axis.

    >>> ops.padding(Tensor([[8.0], [10.0]]), 3).asnumpy()
    array([[ 8.,  0.,  0.],
           [10.,  0.,  0.]], dtype=float32)
    """
    require_shapes("Padding", x=(x, "* N 1"))
    fits = isinstance(pad_dim_size, int) and pad_dim_size >= 1
    require(fits, "int-at-least", "Padding", pad_dim_size=pad_dim_size, n=1)
    return pad(x, (0, pad_dim_size - 1))


@composite(
    primitive="PadV3(mode='constant', paddings_contiguous=True)(x, paddings, constant_value=None)",
    function=(),
)
def pad_last_first(x, paddings, constant_value=None, mode="constant", paddings_contiguous=True):
    """As `pad`; without `paddings_contiguous`: all numbers before, then all after.

    >>> ops.PadV3()(Tensor([1.0, 2.0]), (1, 1), 0.0).asnumpy()
    array([0., 1., 2., 0.], dtype=float32)
    """
    numbers = _ints("PadV3", "paddings", paddings)
    if not paddings_contiguous:
        half = len(numbers) // 2
        numbers = [n for pair in zip(numbers[:half], numbers[half:], strict=True) for n in pair]
    return pad(x, numbers, mode, constant_value if mode == "constant" else None)
