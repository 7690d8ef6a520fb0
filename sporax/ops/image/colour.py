"""Hue, saturation and value of colours; the last axis holds the three channels of a pixel."""

import jax.numpy as jnp

from sporax.ops.declare import Array, op
from sporax.ops.operand_checks import floats_only, require_shapes


def _pixels(name, x, letters="... 3"):
    require_shapes(**{name: (x, letters)})
    return x


def _hsv(rgb):
    red, green, blue = jnp.moveaxis(rgb, -1, 0)
    value = rgb.max(-1)
    chroma = value - rgb.min(-1)
    grey = chroma <= 0
    sixth = 1 / (6 * jnp.where(grey, 1, chroma))
    hue = jnp.where(
        red == value, (green - blue) * sixth,
        jnp.where(green == value, (blue - red) * sixth + 2 / 6, (red - green) * sixth + 4 / 6),
    )  # fmt: skip
    hue = jnp.where(grey, 0, jnp.where(hue < 0, hue + 1, hue))
    dark = value <= 0
    saturation = jnp.where(dark, 0, chroma / jnp.where(dark, 1, value))
    return hue, saturation, value


def _rgb(hue, saturation, value):
    ramps = (
        jnp.abs(6 * hue - 3) - 1, 2 - jnp.abs(6 * hue - 2), 2 - jnp.abs(6 * hue - 4)
    )  # fmt: skip
    return jnp.stack([value * (1 - saturation * (1 - jnp.clip(r, 0, 1))) for r in ramps], -1)


@op(function=(), primitive="RGBToHSV()(images)", check=floats_only("RGBToHSV"))
def rgb_to_hsv(images: Array):
    """Convert red, green and blue to hue, saturation and value, each from 0 to 1: `(*, 3)`.

    >>> ops.RGBToHSV()(Tensor([[0.0, 0.5, 0.0], [1.0, 1.0, 1.0]])).asnumpy().round(2)
    array([[0.33, 1.  , 0.5 ],
           [0.  , 0.  , 1.  ]], dtype=float32)
    """
    return jnp.stack(_hsv(_pixels("images", images)), -1)


@op(function=(), primitive="HSVToRGB()(x)", check=floats_only("HSVToRGB"))
def hsv_to_rgb(x: Array):
    """Convert hue, saturation and value, all from 0 to 1, to red, green and blue: `(*, 3)`.

    >>> ops.HSVToRGB()(Tensor([[0.0, 1.0, 0.5]])).asnumpy()
    array([[0.5, 0. , 0. ]], dtype=float32)
    """
    return _rgb(*jnp.moveaxis(_pixels("x", x), -1, 0))


@op(function=(), primitive="AdjustHue()(image, delta)")
def adjust_hue(image: Array, delta: Array):
    """Add `delta` to the hue of colours `(*, 3)`; 1 is a full turn.

    >>> ops.AdjustHue()(Tensor([[[1.0, 0.0, 0.0]]]), Tensor(0.5)).asnumpy()
    array([[[0., 1., 1.]]], dtype=float32)
    """
    hue, saturation, value = _hsv(_pixels("image", image, "... H W 3"))
    require_shapes(delta=(delta, ""))
    turned = hue + delta.astype(image.dtype)
    return _rgb(turned - jnp.floor(turned), saturation, value)


@op(function=(), primitive="AdjustSaturation()(image, scale)")
def adjust_saturation(image: Array, scale: Array):
    """Multiply the saturation of colours `(*, 3)` by `scale`, clipped to [0, 1].

    >>> ops.AdjustSaturation()(Tensor([[[1.0, 0.0, 0.0]]]), Tensor(0.5)).asnumpy()
    array([[[1. , 0.5, 0.5]]], dtype=float32)
    """
    hue, saturation, value = _hsv(_pixels("image", image, "... H W 3"))
    require_shapes(scale=(scale, ""))
    return _rgb(hue, jnp.clip(saturation * scale.astype(image.dtype), 0, 1), value)
