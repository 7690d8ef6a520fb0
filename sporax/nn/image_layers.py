"""Layers that give images another size, or take them apart."""

from sporax import ops
from sporax.nn import argument_checks as check
from sporax.nn.cell import Cell
from sporax.ops.image.patches import patches
from sporax.ops.image.resizing import resize_bilinear


class Upsample(Cell):
    """`ops.interpolate` as a layer: `(N, C, *)` resized to `size` or by `scale_factor`.

    >>> nn.Upsample(size=(4, 4), mode="bilinear")(ops.ones((1, 3, 2, 2))).shape
    (1, 3, 4, 4)
    """

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None,
        recompute_scale_factor=None,
    ):  # fmt: skip
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x):
        return ops.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners,
            self.recompute_scale_factor,
        )  # fmt: skip


class ResizeBilinear(Cell):
    """`(N, C, H, W)` resized, linear between neighbours; called with `size` or `scale_factor`.

    `align_corners`: the outermost elements stay; else `half_pixel_centers`: the outer edges do.
    MindSpore 2.10 has `ops.interpolate` in its place.

    >>> nn.ResizeBilinear()(ops.ones((1, 3, 2, 2)), size=(4, 4)).shape
    (1, 3, 4, 4)
    """

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        check.flag("ResizeBilinear", half_pixel_centers=half_pixel_centers)
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        if (size is None) == (scale_factor is None):
            raise ValueError(
                "For 'ResizeBilinear', one of 'size' and 'scale_factor' must be given, but got "
                f"{size} and {scale_factor}."
            )
        if size is None:
            size = tuple(int(n * scale_factor) for n in x.shape[2:])
        return resize_bilinear(x, size, align_corners, self.half_pixel_centers)


class PixelShuffle(Cell):
    """`ops.pixel_shuffle` as a layer: `(*, C r^2, H, W)` -> `(*, C, H r, W r)`.

    >>> nn.PixelShuffle(2)(ops.ones((1, 4, 2, 2))).shape
    (1, 1, 4, 4)
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """`ops.pixel_unshuffle` as a layer: `(*, C, H r, W r)` -> `(*, C r^2, H, W)`.

    >>> nn.PixelUnshuffle(2)(ops.ones((1, 1, 4, 4))).shape
    (1, 4, 2, 2)
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return ops.pixel_unshuffle(input, self.downscale_factor)


class CentralCrop(Cell):
    """The middle of images: `central_fraction`, in (0, 1], of the height and width of
    `(C, H, W)` or `(N, C, H, W)`; the same number is left out at both ends.

    >>> nn.CentralCrop(0.5)(ops.ones((2, 3, 4, 6))).shape
    (2, 3, 2, 4)
    """

    def __init__(self, central_fraction):
        super().__init__()
        if not isinstance(central_fraction, float) or not 0 < central_fraction <= 1:
            kind = ValueError if isinstance(central_fraction, float) else TypeError
            raise kind(
                "For 'CentralCrop', 'central_fraction' must be a float in (0, 1], but got "
                f"{central_fraction!r}."
            )
        self.central_fraction = central_fraction

    def construct(self, image):
        check.tensor("CentralCrop", image)
        if image.ndim not in (3, 4):
            raise ValueError(
                "For 'CentralCrop', 'image' must have the shape (C, H, W) or (N, C, H, W), but got "
                f"{image.shape}."
            )
        top, left = (int((n - n * self.central_fraction) / 2) for n in image.shape[-2:])
        height, width = image.shape[-2:]
        return image[..., top : height - top, left : width - left]


class Unfold(Cell):
    """Windows in the channels: `(N, C, H, W)` -> `(N, kh kw C, H', W')`.

    `ksizes`, `strides`, `rates`: `[1, rows, columns, 1]`. `padding`: 'valid', or 'same' (zeros).

    >>> nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])(ops.ones((1, 3, 6, 6))).shape
    (1, 12, 3, 3)
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        for name, sizes in [("ksizes", ksizes), ("strides", strides), ("rates", rates)]:
            fits = isinstance(sizes, (tuple, list)) and len(sizes) == 4
            if (
                not fits
                or sizes[0] != 1
                or sizes[3] != 1
                or not all(isinstance(n, int) and n > 0 for n in sizes)
            ):
                raise ValueError(
                    f"For 'Unfold', '{name}' must be [1, rows, columns, 1], but got {sizes!r}."
                )
        if padding not in ("valid", "same", "VALID", "SAME"):
            raise ValueError(
                f"For 'Unfold', 'padding' must be 'valid' or 'same', but got {padding!r}."
            )
        self.sizes = [tuple(sizes[1:3]) for sizes in (ksizes, strides, rates)]
        self.padding = padding.lower()

    def construct(self, input_x):
        check.tensor("Unfold", input_x)
        return patches(input_x, *self.sizes, self.padding)
