"""Colours of arrays (..., 3) in RGB: grey, hue, mixtures, and histogram transforms."""

import numpy as np

from sporax.data.vision.resampling import saturated

_GREY = np.array([0.299, 0.587, 0.114], np.float32)


def grey(image):
    """Return the brightness of an image's pixels, in the image's dtype."""
    return saturated(image[..., :3].astype(np.float32) @ _GREY, image.dtype)


def mixed(image, other, factor):
    """Return `factor * image + (1 - factor) * other`."""
    real = image.astype(np.result_type(image.dtype, np.float32))
    return saturated(real * factor + np.asarray(other, real.dtype) * (1 - factor), image.dtype)


def brightened(image, factor):
    """Return the image times `factor`."""
    return mixed(image, 0, factor)


def contrasted(image, factor):
    """Scale the distance to the mean grey by `factor`."""
    mean = grey(image).mean()
    return mixed(image, int(mean + 0.5) if image.dtype.kind in "iu" else mean, factor)


def coloured(image, factor):
    """Scale the distance to the grey image by `factor`."""
    return mixed(image, grey(image)[..., None], factor)


def hue_rotated(image, fraction):
    """Rotate hues by a fraction of the circle; for bytes in 256 steps, as in OpenCV."""
    if image.dtype.kind not in "iu":
        h, s, v = to_hsv(image)
        return from_hsv((h + fraction) % 1, s, v).astype(image.dtype)
    h, s, v = to_hsv(image / np.float32(255))
    steps = (np.rint(h * 256) + int(fraction * 255)) % 256
    s = np.rint(s * 255) / 255
    return saturated(from_hsv(steps / 255, s, v) * 255, image.dtype)


def to_hsv(image):
    """Return hue, saturation and value in [0, 1] of an array (..., 3) in [0, 1]."""
    r, g, b = (image[..., i] for i in range(3))
    value = np.maximum(np.maximum(r, g), b)
    spread = value - np.minimum(np.minimum(r, g), b)
    safe = np.where(spread > 0, spread, 1)
    hue = np.where(
        value == r, (g - b) / safe, np.where(value == g, 2 + (b - r) / safe, 4 + (r - g) / safe)
    )
    saturation = np.where(value > 0, spread / np.where(value > 0, value, 1), 0)
    hue = np.where(spread > 0, hue / 6, 0)
    return np.where(hue < 0, hue + 1, hue), saturation, value


def from_hsv(hue, saturation, value):
    """Return the array (..., 3) of hues, saturations and values."""
    sectors = np.array([5, 3, 1], hue.dtype) + hue[..., None] * 6
    sectors = np.where(sectors >= 6, sectors - 6, sectors)
    share = np.clip(np.minimum(sectors, 4 - sectors), 0, 1)
    return value[..., None] * (1 - saturation[..., None] * share)


def gamma_adjusted(image, gamma, gain):
    """Return gain * image ** gamma, for values in [0, 1]; integers are in units of 1/255."""
    if image.dtype.kind not in "iu":
        return np.clip(gain * image**gamma, 0, 1).astype(image.dtype)
    table = np.clip(255 * gain * (np.arange(256) / 255) ** gamma, 0, 255)
    return table.astype(image.dtype)[image]


def _channels(image, table_of):
    """Map each channel of an image of bytes by the table that `table_of(histogram)` returns."""
    wide = image[..., None] if image.ndim == 2 else image
    channels = [
        table_of(np.bincount(wide[..., i].ravel(), minlength=256))[wide[..., i]]
        for i in range(wide.shape[-1])
    ]
    return np.stack(channels, -1).reshape(image.shape)


def equalized(image):
    """Equalize the histogram of each channel."""

    def table(counts):
        first = counts[np.flatnonzero(counts)[0]]
        remaining = counts.sum() - first
        if remaining == 0:
            return np.arange(256, dtype=np.uint8)
        return saturated((np.cumsum(counts) - first) * (255 / remaining), np.dtype(np.uint8))

    return _channels(image, table)


def stretched(image, cutoff, ignore):
    """Stretch each channel to [0, 255], without the darkest and the lightest `cutoff` percent and
    the levels `ignore`."""

    def table(counts):
        counts = counts.copy()
        counts[list(ignore)] = 0
        if cutoff:
            cut = int(counts.sum() * cutoff // 100)
            for direction in (slice(None), slice(None, None, -1)):
                over = np.maximum(np.cumsum(counts[direction]) - cut, 0)
                counts[direction] = np.diff(over, prepend=0)
        filled = np.flatnonzero(counts)
        if len(filled) == 0 or filled[0] >= filled[-1]:
            return np.arange(256, dtype=np.uint8)
        low, scale = filled[0], 255.0 / (filled[-1] - filled[0])
        return np.clip(np.arange(256) * scale - low * scale, 0, 255).astype(np.uint8)

    return _channels(image, table)
