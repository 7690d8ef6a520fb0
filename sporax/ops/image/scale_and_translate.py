"""Images scaled and translated; an output element is a weighted mean of nearby input elements."""

import jax.numpy as jnp

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import Array, composite, op
from sporax.ops.operand_checks import require_shapes


def _lanczos(radius):
    return lambda x: jnp.sinc(x) * jnp.sinc(x / radius)


def _piecewise_cubic(x, near, far):
    """`near`, `far`: coefficients of the cubic below 1 and from 1 to 2, highest degree first."""
    return jnp.where(x < 1, jnp.polyval(jnp.array(near), x), jnp.polyval(jnp.array(far), x))


# name -> (radius, weight at a distance up to the radius)
_KERNELS = {
    **{f"lanczos{radius}": (radius, _lanczos(radius)) for radius in (1, 3, 5)},
    "gaussian": (1.5, lambda x: jnp.exp(-2 * x * x)),
    "box": (1, lambda x: jnp.where(x < 0.5, 1.0, jnp.where(x == 0.5, 0.5, 0.0))),
    "triangle": (1, lambda x: 1 - x),
    "keyscubic": (2, lambda x: _piecewise_cubic(x, (1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2))),
    "mitchellcubic": (
        2, lambda x: _piecewise_cubic(x, (7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9))
    ),
}  # fmt: skip
_KERNEL = kinds.one_of(*_KERNELS)


def _weights(n_in, n_out, scale, translation, kernel_type, antialias):
    """`(n_out, n_in)`: the weight of each input element in an output element."""
    radius, weight = _KERNELS[kernel_type]
    width = jnp.maximum(1 / scale, 1) if antialias else 1.0
    positions = (jnp.arange(n_out) + 0.5 - translation) / scale
    distance = jnp.abs(jnp.arange(n_in) + 0.5 - positions[:, None]) / width
    weights = jnp.where(distance <= radius, weight(jnp.minimum(distance, radius)), 0)
    total = weights.sum(1, keepdims=True)
    is_inside = ((positions >= 0) & (positions <= n_in))[:, None] & (jnp.abs(total) > 1e-35)
    return jnp.where(is_inside, weights / jnp.where(is_inside, total, 1), 0).astype(scale.dtype)


@op(function=(), name="ScaleAndTranslate")
def scale_and_translate_to(
    images: Array, scale: Array, translation: Array, size, kernel_type="lanczos3", antialias=True
):
    """`ScaleAndTranslate` with `size` as a tuple."""
    _KERNEL(None, kernel_type=kernel_type)
    require_shapes(
        images=(images, "N H W C"), scale=(scale, "2"), translation=(translation, "2")
    )  # fmt: skip
    images = images.astype(jnp.promote_types(images.dtype, jnp.float32))
    down, across = (
        _weights(images.shape[1 + i], size[i], scale[i], translation[i], kernel_type, antialias)
        for i in (0, 1)
    )
    return jnp.einsum("ih,jw,nhwc->nijc", down, across, images).astype(images.dtype)


@composite(
    primitive="ScaleAndTranslate(kernel_type='lanczos3', antialias=True)"
    "(images, size, scale, translation)",
    function=(),
)
def scale_and_translate(images, size, scale, translation, kernel_type="lanczos3", antialias=True):
    """`(N, H, W, C)` -> `(N, *size, C)` in Float32: an input element at position i is moved to
    `scale * i + translation`, along both axes.

    `kernel_type`: the weights of neighbours, 'lanczos1', 'lanczos3', 'lanczos5', 'gaussian', 'box',
    'triangle', 'keyscubic' or 'mitchellcubic'; `antialias`: widens the kernel to an output element
    if that is larger than an input element. Outputs from outside the input are 0.

    >>> x, both = Tensor([[[[1.0], [3.0]]]]), Tensor([1.0, 2.0])
    >>> ops.ScaleAndTranslate("triangle")(x, (1, 4), both, both * 0).asnumpy().ravel()
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    sizes = size.tolist() if isinstance(size, Tensor) else size
    fits = isinstance(sizes, tuple | list) and len(sizes) == 2 and min(sizes) >= 1
    require(fits, "positive-ints", "ScaleAndTranslate", size=sizes, n=2)
    return scale_and_translate_to(images, scale, translation, tuple(sizes), kernel_type, antialias)
