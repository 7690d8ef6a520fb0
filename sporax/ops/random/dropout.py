"""Noise in networks: dropout, randomized leaky ReLU, Gumbel softmax."""

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.transforms.autodiff.no_grad import stop_gradient
from sporax.ops.casting import cast
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.gather import where
from sporax.ops.math.reduction import argmax
from sporax.ops.nn.activation import softmax
from sporax.ops.operand_checks import floats_only
from sporax.ops.random.draws import (
    dropout_from_key,
    inverse_cdf_from_key,
    next_key,
    source_of,
    uniform_from_key,
)
from sporax.ops.shape.creation import arange

# dropout ------------------------------------------------------------------------------------


_PROBABILITY, _BELOW_1 = kinds.within(0, 1), kinds.within(0, 1, ends="[)")


@composite()
def dropout(input, p=0.5, training=True, seed=None):
    r"""In training, each element is 0 with probability `p`, else $x / (1 - p)$; otherwise `input`.

    (Srivastava et al., 2014.) `p` is in [0, 1).

    >>> ops.dropout(Tensor([1.0, 2.0]), training=False).asnumpy()
    array([1., 2.], dtype=float32)
    """
    _BELOW_1("Dropout", p=p)
    return dropout_from_key(input, next_key(seed), p)[0] if training and p else input


@composite(function=(), primitive="Dropout(keep_prob=0.5, Seed0=0, Seed1=0)(x)")
def dropout_and_mask(itself, x, keep_prob=0.5, Seed0=0, Seed1=0) -> Arrays:
    """`dropout`, and the mask of kept elements.

    >>> out, mask = ops.Dropout(keep_prob=0.5)(ops.ones((4,)))
    >>> out.shape, mask.shape
    ((4,), (4,))
    """
    require(0 < keep_prob <= 1, "in-interval", "Dropout", keep_prob=keep_prob, interval="(0, 1]")
    return dropout_from_key(x, next_key(source_of(itself, Seed0, Seed1)), 1 - keep_prob)


@composite(function=(), primitive="DropoutGenMask(Seed0=0, Seed1=0)(shape, keep_prob)")
def dropout_mask(itself, shape, keep_prob, Seed0=0, Seed1=0):
    """Draw a bit for each element of `shape`, 1 with probability `keep_prob`, packed eight per
    UInt8 and padded to a multiple of 128, for `DropoutDoMask`.

    >>> ops.DropoutGenMask()((4, 8), 0.5).shape
    (16,)
    """
    count = math.prod(shape.tolist() if isinstance(shape, Tensor) else shape)
    bits = -(-count // 128) * 128
    source = source_of(itself, Seed0, Seed1)
    drawn = uniform_from_key(next_key(source), (bits,), np.dtype(np.float32))
    return packed_bits(drawn < keep_prob)


@op(function=(), differentiable=False)
def packed_bits(kept: Array):
    """Pack eight Bool into a UInt8, the first in its lowest bit."""
    return jnp.packbits(kept, bitorder="little")


@op(function=(), primitive="DropoutDoMask()(x, mask, keep_prob)")
def dropout_by_mask(x: Array, mask: Array, keep_prob: Array):
    """$x / keep$ where the bits of `mask` are 1, else 0; see `DropoutGenMask`.

    >>> kept = Tensor(np.array([1] + [0] * 15, np.uint8))
    >>> ops.DropoutDoMask()(Tensor([1.0, 2.0]), kept, Tensor(0.5)).asnumpy()
    array([2., 0.], dtype=float32)
    """
    is_mask = mask.dtype == jnp.uint8 and mask.ndim == 1 and mask.size * 8 >= x.size
    require(is_mask, "uint8-bit-elements", mask=mask.dtype, size=x.size, shape=mask.shape)
    kept = jnp.unpackbits(mask, count=x.size, bitorder="little").reshape(x.shape)
    return jnp.where(kept == 1, x / keep_prob.astype(x.dtype), jnp.zeros((), x.dtype))


def _channels(name, input, axes, together):
    """Raise ValueError unless the input has one of these numbers of axes."""
    require(input.ndim in axes, "axes-among", name, input=input.shape, counts=axes)
    return together


@composite()
def dropout1d(input, p=0.5, training=True):
    """`dropout` of whole channels: `(N, C, L)` or `(C, L)`; `p` is in [0, 1].

    >>> ops.dropout1d(ops.ones((2, 3)), training=False).shape
    (2, 3)
    """
    _PROBABILITY("dropout1d", p=p)
    if not training:
        return input
    together = _channels("dropout1d", input, (2, 3), 1)
    return dropout_from_key(input, next_key(), p, together)[0] if p else input


@composite()
def dropout2d(input, p=0.5, training=True):
    """`dropout` of whole channels: `(N, C, H, W)`; `p` is in [0, 1].

    >>> ops.dropout2d(ops.ones((1, 2, 3, 3)), training=False).shape
    (1, 2, 3, 3)
    """
    _PROBABILITY("dropout2d", p=p)
    if not training:
        return input
    together = _channels("dropout2d", input, (4,), 2)
    return dropout_from_key(input, next_key(), p, together)[0] if p else input


@composite()
def dropout3d(input, p=0.5, training=True):
    """`dropout` of whole channels: `(N, C, D, H, W)`; `p` is in [0, 1].

    >>> ops.dropout3d(ops.ones((1, 2, 3, 3, 3)), training=False).shape
    (1, 2, 3, 3, 3)
    """
    _PROBABILITY("dropout3d", p=p)
    if not training:
        return input
    together = _channels("dropout3d", input, (5,), 3)
    return dropout_from_key(input, next_key(), p, together)[0] if p else input


def _with_mask(name, x, keep_prob, axes):
    require(0 <= keep_prob <= 1, "in-interval", name, keep_prob=keep_prob, interval="[0, 1]")
    is_whole = x.dtype in dtypes.int_type  # scaled, then truncated, as MindSpore does
    floats = cast(x, dtypes.float64) if is_whole else x
    together = _channels(name, x, (axes,), axes - 2)
    out, kept = dropout_from_key(floats, next_key(), 1 - keep_prob, together)
    return cast(out, x.dtype), cast(kept, dtypes.bool_).broadcast_to(x.shape)


@composite(function=(), primitive="Dropout2D(keep_prob=0.5)(x)")
def dropout2d_and_mask(x, keep_prob=0.5) -> Arrays:
    """`dropout2d`, and the mask of kept elements: Bool.

    >>> out, mask = ops.Dropout2D(keep_prob=0.5)(ops.ones((1, 2, 3, 3)))
    >>> out.shape, mask.dtype
    ((1, 2, 3, 3), mindspore.bool)
    """
    return _with_mask("Dropout2D", x, keep_prob, 4)


@composite(function=(), primitive="Dropout3D(keep_prob=0.5)(x)")
def dropout3d_and_mask(x, keep_prob=0.5) -> Arrays:
    """`dropout3d`, and the mask of kept elements: Bool.

    >>> out, mask = ops.Dropout3D(keep_prob=0.5)(ops.ones((1, 2, 3, 3, 3)))
    >>> out.shape, mask.dtype
    ((1, 2, 3, 3, 3), mindspore.bool)
    """
    return _with_mask("Dropout3D", x, keep_prob, 5)


@composite(
    function=(),
    mint=(
        "dropout(input, p=0.5, training=True, inplace=False)",
        "nn.functional.dropout(input, p=0.5, training=True, inplace=False)",
    ),
)
def dropout_in_place(input, p=0.5, training=True, inplace=False):
    """`ops.dropout` with `p` in [0, 1]; `inplace`: also writes the result to `input`.

    >>> mint.nn.functional.dropout(Tensor([1.0, 2.0]), 1.0).asnumpy()
    array([0., 0.], dtype=float32)
    """
    _PROBABILITY("dropout", p=p)
    return _placed(
        input, dropout_from_key(input, next_key(), p)[0] if training and p else input, inplace
    )


@composite(
    function=(),
    mint=(
        "dropout2d(input, p=0.5, training=True, inplace=False)",
        "nn.functional.dropout2d(input, p=0.5, training=True, inplace=False)",
    ),
)
def dropout2d_in_place(input, p=0.5, training=True, inplace=False):
    """`ops.dropout2d`; `inplace`: also writes the result to `input`.

    >>> mint.nn.functional.dropout2d(ops.ones((1, 1, 1, 2)), 1.0).asnumpy()
    array([[[[0., 0.]]]], dtype=float32)
    """
    return _placed(input, dropout2d(input, p, training), inplace)


def _placed(input, result, inplace):
    return input._rebind(result._lift()) if inplace and result is not input else result


# activations --------------------------------------------------------------------------------


@composite()
def rrelu(input, lower=1 / 8, upper=1 / 3):
    r"""$x$ where it is at least 0, else $a x$ with $a$ uniform in [lower, upper) (Xu et al., 2015).

    >>> ops.rrelu(Tensor([2.0, -1.0]), 0.5, 0.5).asnumpy()
    array([ 2. , -0.5], dtype=float32)
    """
    floats_only("rrelu")(input._value.aval)
    kinds.NUMBER("rrelu", lower=lower, upper=upper)
    rule = "at-most-argument-value-dropout"
    require(lower <= upper, rule, "rrelu", lower=lower, other="upper", upper=upper)
    drawn = uniform_from_key(next_key(), input.shape, dtypes.to_numpy(input.dtype))
    return where(input >= 0, input, input * (drawn * (upper - lower) + lower))


@composite()
def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    r"""$softmax((x_i + g_i) / \tau)$ along `dim`, each $g_i$ drawn from the Gumbel distribution.

    `hard`: 1 for the largest and 0 for the others, with the gradient of the soft result (Jang et
    al., 2017; Maddison et al., 2017).

    >>> ops.gumbel_softmax(Tensor([0.0, 1000.0]), hard=True).asnumpy()
    array([0., 1.], dtype=float32)
    """
    floats_only("gumbel_softmax")(logits._value.aval)
    kinds.POSITIVE("gumbel_softmax", tau=tau)
    kind = dtypes.to_numpy(logits.dtype)
    soft = softmax(
        (logits + inverse_cdf_from_key(next_key(), "gumbel", logits.shape, kind)) / tau,
        dim,
    )
    if not hard:
        return soft
    shape = [1] * logits.ndim
    shape[dim] = -1
    numbers = arange(logits.shape[dim]).reshape(tuple(shape))
    first = cast(numbers == argmax(soft, dim, True), logits.dtype)
    return first + (soft - stop_gradient(soft))
