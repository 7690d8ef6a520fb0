"""Normalization."""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.core.jax_internals import is_symbolic
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.storage.views import write_all
from sporax.ops.declare import OPTIONAL, Array, Arrays, composite, op
from sporax.ops.operand_checks import floats_only, require_shapes


def _precise(x):
    """Convert to at least Float32: sums of 16-bit floats lose too much precision."""
    return x.astype(jnp.promote_types(x.dtype, jnp.float32))


# Written in `lax`, which JAX traces in a third of `jax.numpy`'s time: a network has many of these,
# each with a different shape.


def _mean(x, axes):
    """Return the mean over `axes`, which are kept."""
    count, total = math.prod(x.shape[axis] for axis in axes), lax.reduce_sum(x, axes)
    divisor = jnp.asarray(count, x.dtype) if is_symbolic(count) else x.dtype.type(count)
    return lax.div(lax.expand_dims(total, axes), lax.full((1,) * x.ndim, divisor, x.dtype))


def _inverse_deviation(variance, epsilon):
    return lax.rsqrt(lax.add(variance, lax.full_like(variance, epsilon)))


# Normalization is differentiated as a whole: two sums over the input instead of the seven for the
# derivatives of its operations. Sums over the same elements contain no factor common to all, so
# that the gradients of scale and bias share them.


def _tangents(x, t, axes, mean, variance, epsilon, scales=None):
    """Tangents of (x - mean) / deviation * scale + bias, of the mean and of the variance.

    `scales`: (scale, its tangent, the bias' tangent), if there is a scale.
    """
    if any(not is_symbolic(n) and n == 0 for n in x.shape):  # moments of no elements are NaN
        return tuple(map(jnp.zeros_like, (x, mean, variance)))
    inverse, centred = _inverse_deviation(variance, epsilon), lax.sub(x, mean)
    mean_t, covariance = _mean(t, axes), _mean(lax.mul(centred, t), axes)
    factor = inverse if scales is None else lax.mul(scales[0], inverse)
    slope_t = lax.neg(lax.mul(lax.mul(factor, lax.mul(inverse, inverse)), covariance))
    shift_t = lax.neg(lax.mul(factor, mean_t))
    if scales is not None:
        slope_t = lax.add(lax.mul(scales[1], inverse), slope_t)
        shift_t = lax.add(scales[2], shift_t)
    along = lax.add(lax.mul(factor, t), lax.mul(centred, slope_t))
    return lax.add(along, shift_t), mean_t, lax.add(covariance, covariance)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _normalized(x, axes, epsilon):
    """Return `x` standardized over `axes`, with mean and (biased) variance."""
    mean = _mean(x, axes)
    centred = lax.sub(x, mean)
    variance = _mean(lax.mul(centred, centred), axes)
    return lax.mul(centred, _inverse_deviation(variance, epsilon)), mean, variance


@_normalized.defjvp
def _(axes, epsilon, primals, tangents):
    (x,), (t,), outs = primals, tangents, _normalized(*primals, axes, epsilon)
    return outs, _tangents(x, t, axes, *outs[1:], epsilon=epsilon)


@functools.partial(jax.custom_jvp, nondiff_argnums=(3, 4))
def _scaled(x, scale, bias, axes, epsilon):
    """As `_normalized`, times `scale`, plus `bias`, which are constant along `axes`."""
    y, mean, variance = _normalized(x, axes, epsilon)
    return lax.add(lax.mul(y, scale), bias), mean, variance


@_scaled.defjvp
def _(axes, epsilon, primals, tangents):
    (x, scale, _), (t, *others), outs = primals, tangents, _scaled(*primals, axes, epsilon)
    scales = scale, *others
    return outs, _tangents(x, t, axes, *outs[1:], epsilon=epsilon, scales=scales)


def _fits(input, shape, *parameters):
    for p in parameters:
        require(p is None or p.shape == shape, "shape-weight-bias-last", shape=shape)


@op(
    primitive="LayerNorm(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07)"
    "(input_x: input, gamma, beta)",
    function=(),
    check=floats_only("LayerNorm"),
)
def layer_norm_of_class(
    input: Array, gamma: Array, beta: Array, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7
) -> Arrays:
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$, with $\mu$ and $\sigma^2$.

    Moments over the axes from `begin_norm_axis` on; `gamma`, `beta` have the sizes of the axes from
    `begin_params_axis` on (Ba et al., 2016).

    >>> y, mean, variance = ops.LayerNorm()(Tensor([[1.0, 3.0]]), ops.ones((2,)), ops.zeros((2,)))
    >>> y.asnumpy().round(3), mean.asnumpy()
    (array([[-1.,  1.]], dtype=float32), array([[2.]], dtype=float32))
    """
    axes = tuple(range(begin_norm_axis % input.ndim, input.ndim))
    _fits(input, input.shape[begin_params_axis % input.ndim :], gamma, beta)
    x, mean, variance = _normalized(_precise(input), axes, epsilon)
    y = (x * gamma + beta).astype(input.dtype)
    return y, mean, variance


@op(mint="nn.functional.layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05)",
    name="LayerNorm", check=floats_only("LayerNorm"))  # fmt: skip
def layer_norm(
    input: Array, normalized_shape, weight: OPTIONAL = None, bias: OPTIONAL = None, eps=1e-5
):
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over the last axes.

    `normalized_shape`: the sizes of these axes, and the shape of `weight` and `bias` (Ba et al.,
    2016).

    >>> ops.layer_norm(Tensor([[1.0, 3.0]]), (2,)).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """
    shape = normalized_shape if isinstance(normalized_shape, tuple) else (normalized_shape,)
    fits = shape and input.shape[-len(shape) :] == shape
    require(fits, "last-sizes", normalized_shape=shape, other="input")
    _fits(input, shape, weight, bias)
    axes = tuple(range(input.ndim - len(shape), input.ndim))
    x, _, _ = _normalized(_precise(input), axes, eps)
    x = x if weight is None else x * weight
    return (x if bias is None else x + bias).astype(input.dtype)


# batch normalization ------------------------------------------------------------------------


def _axis(input, data_format):
    return 1 if data_format == "NCHW" else input.ndim - 1


def _channels(input, data_format, *parameters):
    """Return the shape that aligns a parameter with the channels of `input`."""
    axis = _axis(input, data_format)
    require(input.ndim >= 2 and data_format in ("NCHW", "NHWC"), "n-c-n-c", argument="input")
    for p in parameters:
        channels = input.shape[axis]
        require(p.shape == (channels,), "number-per-channel", channels=channels, got=p.shape)
    return tuple(n if i == axis else 1 for i, n in enumerate(input.shape))


@op(function=(), name="BatchNorm", check=floats_only("BatchNorm"))
def batch_norm_training(
    input: Array, scale: Array, bias: Array, mean: Array, variance: Array, momentum=0.1,
    epsilon=1e-5, data_format="NCHW",
) -> Arrays:  # fmt: skip
    r"""Normalize by the batch's own moments (Ioffe and Szegedy, 2015).

    Returns the result; `mean` and `variance` moved toward the batch's by `momentum` (unbiased
    variance); and the batch's mean and biased variance.
    """
    shape = _channels(input, data_format, scale, bias, mean, variance)
    axes = tuple(i for i in range(input.ndim) if i != _axis(input, data_format))
    dtype = jnp.result_type(input, scale, bias, jnp.float32)
    y, batch_mean, batch_variance = _scaled(
        input.astype(dtype), scale.astype(dtype).reshape(shape), bias.astype(dtype).reshape(shape),
        axes, epsilon,
    )  # fmt: skip
    count = input.size // max(1, scale.size)
    m, v = (lax.stop_gradient(s.reshape(-1)) for s in (batch_mean, batch_variance))
    unbiased = v * (count / (count - 1)) if count > 1 else v
    moved = [
        (old + momentum * (new - old)).astype(old.dtype)
        for old, new in ((mean, m), (variance, unbiased))
    ]
    return y.astype(input.dtype), *moved, m.astype(scale.dtype), v.astype(scale.dtype)


@op(function=(), name="BatchNorm", check=floats_only("BatchNorm"))
def batch_norm_inference(
    input: Array, scale: Array, bias: Array, mean: Array, variance: Array, epsilon=1e-5,
    data_format="NCHW",
):  # fmt: skip
    r"""$\gamma (x - \mu) / \sqrt{\sigma^2 + \epsilon} + \beta$ with given moments."""
    shape = _channels(input, data_format, scale, bias, mean, variance)
    factor = scale * lax.rsqrt(_precise(variance) + epsilon)
    shift = bias - mean * factor
    return (_precise(input) * factor.reshape(shape) + shift.reshape(shape)).astype(input.dtype)


def keep(pairs):
    """Write updated statistics to their Parameters, all at once; derivatives do not pass."""
    pairs = [(parameter, moved._value) for parameter, moved in pairs]
    for _, value in pairs:
        value.tracked = False
    write_all(pairs)


def normalize_batch(
    input, mean, variance, scale, bias, training=False, momentum=0.1, eps=1e-5, data_format="NCHW"
):
    """See `batch_norm`; `data_format`: 'NCHW', or 'NHWC' if channels come last."""
    if not training:
        return batch_norm_inference(input, scale, bias, mean, variance, eps, data_format)
    y, *moved, _, _ = batch_norm_training(
        input, scale, bias, mean, variance, momentum, eps, data_format
    )
    keep(zip((mean, variance), moved, strict=True))
    return y


@composite()
def batch_norm(
    input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5
):
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$ for each channel (axis 1).

    In training, uses the moments of the batch and updates `running_mean` and `running_var`:
    $running \leftarrow (1 - momentum) \, running + momentum \, batch$; else uses these.

    >>> one, zero = ops.ones((2,)), ops.zeros((2,))
    >>> ops.batch_norm(Tensor([[2.0, 4.0]]), zero, one, one, zero).asnumpy().round(2)
    array([[2., 4.]], dtype=float32)
    """
    return normalize_batch(
        input_x, running_mean, running_var, weight, bias, training, momentum, eps
    )


@composite(
    function=(),
    primitive="BatchNorm(is_training=False, epsilon=1e-05, momentum=0.1, data_format='NCHW')"
    "(input_x, scale, bias, mean, variance)",
)
def batch_norm_and_moments(
    input_x, scale, bias, mean, variance, is_training=False, epsilon=1e-5, momentum=0.1,
    data_format="NCHW",
) -> Arrays:  # fmt: skip
    """As `batch_norm`; also the moments used, twice, as the class returns them.

    >>> one, zero = ops.ones((2,)), ops.zeros((2,))
    >>> mean, variance = Parameter(zero, name="m"), Parameter(one, name="v")
    >>> out, *moments = ops.BatchNorm()(ops.ones((3, 2)), one, zero, mean, variance)
    >>> out.shape, len(moments)
    ((3, 2), 4)
    """
    used = mean, variance
    if is_training:
        y, *moved, m, v = batch_norm_training(
            input_x, scale, bias, mean, variance, momentum, epsilon, data_format
        )
        keep(zip((mean, variance), moved, strict=True))
        return y, m, v, m, v
    y = batch_norm_inference(input_x, scale, bias, mean, variance, epsilon, data_format)
    return y, *used, *used


@op(mint="nn.functional.group_norm(input, num_groups, weight=None, bias=None, eps=1e-05)",
    name="GroupNorm", check=floats_only("GroupNorm"))  # fmt: skip
def group_norm(input: Array, num_groups, weight: OPTIONAL = None, bias: OPTIONAL = None, eps=1e-5):
    r"""$w (x - \mu) / \sqrt{\sigma^2 + \epsilon} + b$, moments over each of `num_groups` groups of
    channels (Wu and He, 2018). `weight`, `bias`: one element per channel (axis 1).

    >>> ops.group_norm(Tensor([[1.0, 3.0]]), 1).asnumpy().round(3)
    array([[-1.,  1.]], dtype=float32)
    """
    fits = input.ndim >= 2 and not input.shape[1] % num_groups
    require(fits, "channels-axis-1-divisible", num_groups=num_groups)
    shape = _channels(input, "NCHW", *[p for p in (weight, bias) if p is not None])
    each = math.prod(input.shape[1:]) // num_groups
    groups = input.reshape(input.shape[0], num_groups, each)
    x = _normalized(_precise(groups), (2,), eps)[0].reshape(input.shape)
    x = x if weight is None else x * weight.reshape(shape)
    return (x if bias is None else x + bias.reshape(shape)).astype(input.dtype)


# by the root of the mean square ---------------------------------------------------------------


def _by_mean_square(x, gamma, epsilon, dtype):
    """Return (x times `gamma` over its root mean square, the reciprocal root in Float32)."""
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    fits = gamma.ndim and x.shape[-gamma.ndim :] == gamma.shape
    require(fits, "last-sizes", gamma=gamma.shape, other="x")
    x = _precise(x)
    inverse = _inverse_deviation(_mean(lax.mul(x, x), axes), epsilon)
    return (x * inverse * gamma).astype(dtype), inverse


@op(
    function="rms_norm(x, gamma, epsilon=1e-06)",
    primitive="RmsNorm(epsilon=1e-06)(x, gamma)",
    check=floats_only("RmsNorm"),
)
def rms_norm(x: Array, gamma: Array, epsilon=1e-6) -> Arrays:
    r"""$\gamma x r$ and r, where $r = 1 / \sqrt{\overline{x^2} + \epsilon}$ is taken over the last
    axes, those in `gamma` (Zhang and Sennrich, 2019).

    The first has the dtype of `x`, r the dtype of the computation, and sizes 1 for these axes.

    >>> y, r = ops.rms_norm(Tensor([[1.0, 7.0]]), ops.ones((2,)))
    >>> y.asnumpy(), r.asnumpy()
    (array([[0.2, 1.4]], dtype=float32), array([[0.2]], dtype=float32))
    """
    return _by_mean_square(x, gamma, epsilon, x.dtype)


@op(name="AddRmsNorm", check=floats_only("AddRmsNorm"))
def add_rms_norm(x1: Array, x2: Array, gamma: Array, epsilon=1e-6) -> Arrays:
    """`rms_norm` of `x1 + x2`: the result, the reciprocal root and the sum.

    >>> y, r, x = ops.add_rms_norm(Tensor([[0.0, 7.0]]), Tensor([[1.0, 0.0]]), ops.ones((2,)))
    >>> y.asnumpy(), x.asnumpy()
    (array([[0.2, 1.4]], dtype=float32), array([[1., 7.]], dtype=float32))
    """
    x = x1 + x2
    return *_by_mean_square(x, gamma, epsilon, x1.dtype), x


@op(name="AddLayerNorm", check=floats_only("AddLayerNorm"))
def add_layer_norm(
    x1: Array, x2: Array, gamma: Array, beta: Array, epsilon=1e-5, additional_output=False
) -> Arrays:
    r"""`layer_norm` of `x1 + x2` over the last axis: the result, the mean, the reciprocal of the
    deviation $1 / \sqrt{\sigma^2 + \epsilon}$, both with size 1 there, and the sum.

    `additional_output`: ignored; the sum is always returned.

    >>> x, one = Tensor([[1.0, 3.0]]), ops.ones((2,))
    >>> y, mean, r, total = ops.add_layer_norm(x, x, one, one)
    >>> y.asnumpy().round(3).tolist(), mean.tolist(), total.tolist()
    ([[0.0, 2.0]], [[4.0]], [[2.0, 6.0]])
    """
    x = x1 + x2
    require_shapes(x1=(x, "* N"))
    _fits(x, x.shape[-1:], gamma, beta)
    y, mean, variance = _normalized(_precise(x), (x.ndim - 1,), epsilon)
    inverse = _inverse_deviation(variance, epsilon)
    return (y * gamma + beta).astype(x1.dtype), mean.astype(x1.dtype), inverse.astype(x1.dtype), x


@op(primitive="LRN(depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS')"
    "(x)", check=floats_only("LRN"))  # fmt: skip
def lrn(
    x: Array, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"
):  # fmt: skip
    r"""$x_c (bias + \alpha \sum_{c'} x_{c'}^2)^{-\beta}$ over the channels from $c - r$ to $c + r$,
    r being `depth_radius`: `(N, C, H, W)` (Krizhevsky et al., 2012).

    >>> ops.lrn(Tensor([[[[1.0]], [[2.0]]]]), 1).asnumpy().round(3).ravel()
    array([0.408, 0.816], dtype=float32)
    """
    require_shapes(x=(x, "N C H W"))
    fits = isinstance(depth_radius, int) and depth_radius >= 0
    require(fits, "int-at-least", depth_radius=depth_radius, n=0)
    region = "ACROSS_CHANNELS"
    require(norm_region == region, "must-equal", norm_region=norm_region, value=region)
    wide = _precise(x)
    radius, channels = min(depth_radius, x.shape[1]), x.shape[1]
    squares = jnp.pad(wide * wide, ((0, 0), (radius, radius), (0, 0), (0, 0)))
    total = sum(squares[:, i : i + channels] for i in range(2 * radius + 1))
    return (wide * (bias + alpha * total) ** -beta).astype(x.dtype)
