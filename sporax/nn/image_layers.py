"""Layers that resize, unfold and compare images."""

from sporax import ops
from sporax._src.core.dtype import float16, float32, float64, uint8
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.cell import Cell
from sporax.nn.functional_layers import layer
from sporax.nn.layer_inputs import check_inputs
from sporax.ops.image.patches import patches
from sporax.ops.image.resizing import resize_bilinear
from sporax.ops.image.similarity import (
    image_gradients,
    multiscale_similarity,
    peak_signal_to_noise,
    structural_similarity,
)

Upsample = layer(
    "Upsample(size=None, scale_factor=None, mode='nearest', align_corners=None, "
    "recompute_scale_factor=None)(x)",
    ops.interpolate,
)


_IMAGES = "(C, H, W)", "(N, C, H, W)"


class ResizeBilinear(Cell):
    """Bilinear resize of `(N, C, H, W)`; called with `size` or `scale_factor`.

    `align_corners`: align the centers of the corner elements; `half_pixel_centers`: align the outer
    edges instead. Superseded by `ops.interpolate` in MindSpore 2.10.

    >>> nn.ResizeBilinear()(ops.ones((1, 3, 2, 2)), size=(4, 4)).shape
    (1, 3, 4, 4)
    """

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        kinds.BOOL("ResizeBilinear", half_pixel_centers=half_pixel_centers)
        self.half_pixel_centers = half_pixel_centers

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        is_one = (size is None) != (scale_factor is None)
        fields = {"other": "size", "other2": "scale_factor"}
        fields |= {"got": size, "scale_factor": scale_factor}
        require(is_one, "one-given", "ResizeBilinear", **fields)
        if size is None:
            size = tuple(int(n * scale_factor) for n in x.shape[2:])
        return resize_bilinear(x, size, align_corners, self.half_pixel_centers)


PixelShuffle = layer("PixelShuffle(upscale_factor)(input)", ops.pixel_shuffle)
PixelUnshuffle = layer("PixelUnshuffle(downscale_factor)(input)", ops.pixel_unshuffle)


class CentralCrop(Cell):
    """Center crop: the fraction `central_fraction`, in (0, 1], of the height and width of
    `(C, H, W)` or `(N, C, H, W)`, cropped equally on both sides.

    >>> nn.CentralCrop(0.5)(ops.ones((2, 3, 4, 6))).shape
    (2, 3, 2, 4)
    """

    def __init__(self, central_fraction):
        super().__init__()
        kinds.within(0, 1, kinds.FLOAT, "(]")("CentralCrop", central_fraction=central_fraction)
        self.central_fraction = central_fraction

    def construct(self, image):
        check_inputs("CentralCrop", image)
        fits, shape = image.ndim in (3, 4), image.shape
        require(fits, "shape-letters", "CentralCrop", image=shape, letters=_IMAGES)
        top, left = (int((n - n * self.central_fraction) / 2) for n in image.shape[-2:])
        height, width = image.shape[-2:]
        return image[..., top : height - top, left : width - left]


class Unfold(Cell):
    """Extract sliding windows into the channels: `(N, C, H, W)` -> `(N, kh kw C, H', W')`.

    `ksizes`, `strides`, `rates`: `[1, rows, columns, 1]`. `padding`: 'valid', or 'same' (zeros).

    >>> nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1])(ops.ones((1, 3, 6, 6))).shape
    (1, 12, 3, 3)
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        for name, sizes in [("ksizes", ksizes), ("strides", strides), ("rates", rates)]:
            fits = isinstance(sizes, (tuple, list)) and len(sizes) == 4
            fits = fits and sizes[0] == sizes[3] == 1
            fits = fits and all(isinstance(n, int) and n > 0 for n in sizes)
            require(fits, "1-rows-columns-1", "Unfold", argument=name, got=sizes)
        kinds.one_of("valid", "same", "VALID", "SAME")("Unfold", padding=padding)
        self.sizes = [tuple(sizes[1:3]) for sizes in (ksizes, strides, rates)]
        self.padding = padding.lower()

    def construct(self, input_x):
        check_inputs("Unfold", input_x)
        return patches(input_x, *self.sizes, padding=self.padding)


class SSIM(Cell):
    r"""Structural similarity of two images, at most 1 (Wang et al., 2004): two `(N, C, H, W)` ->
    `(N,)`.

    The mean of $\frac{(2 \mu_1 \mu_2 + c_1)(2 \sigma_{12} + c_2)}{(\mu_1^2 + \mu_2^2 +
    c_1)(\sigma_1^2 + \sigma_2^2 + c_2)}$, $c_i = (k_i max)^2$, with moments under a Gaussian window
    of size `filter_size` and standard deviation `filter_sigma`. `max_val`: the range of the images.

    >>> nn.SSIM()(ops.ones((1, 3, 16, 16)), ops.ones((1, 3, 16, 16))).asnumpy().round(4)
    array([1.], dtype=float32)
    """

    _dtypes = (float16, float32)

    def __init__(self, max_val=1.0, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
        super().__init__()
        layer = type(self).__name__
        kinds.POSITIVE(layer, max_val=max_val)
        kinds.POSITIVE_INT(layer, filter_size=filter_size)
        kinds.POSITIVE_FLOAT(layer, filter_sigma=filter_sigma)
        kinds.FLOAT(layer, k1=k1, k2=k2)
        self.max_val, self.filter_size, self.filter_sigma = max_val, filter_size, filter_sigma
        self.k1, self.k2 = k1, k2

    def _window(self):
        return self.filter_size, self.filter_sigma, self.k1, self.k2

    def _check(self, image):
        layer, dtypes = type(self).__name__, self._dtypes
        check_inputs(layer, image)
        require(image.dtype in dtypes, "dtype-one-of", layer, img1=image.dtype, dtypes=dtypes)

    def construct(self, img1, img2):
        self._check(img1)
        return structural_similarity(img1, img2, self.max_val, *self._window())


class MSSSIM(SSIM):
    r"""`SSIM` over several scales (Wang et al., 2003): $\prod_j \max(0, s_j)^{p_j}$.

    $s_j$ is the contrast-structure term of images halved j times, for the last scale SSIM; $p_j$
    are `power_factors`. UInt8 images and `max_val` are scaled to [0, 1].

    >>> x = ops.ones((1, 3, 32, 32))
    >>> nn.MSSSIM(power_factors=(0.5, 0.5))(x, x).asnumpy().round(4)
    array([1.], dtype=float32)
    """

    _dtypes = (float64, float32, float16, uint8)

    def __init__(
        self, max_val=1.0, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11,
        filter_sigma=1.5, k1=0.01, k2=0.03,
    ):  # fmt: skip
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        kinds.SEQUENCE("MSSSIM", power_factors=power_factors)
        self.power_factors = tuple(power_factors)

    def construct(self, img1, img2):
        self._check(img1)
        return multiscale_similarity(
            img1, img2, self.max_val, self.power_factors, *self._window()
        )  # fmt: skip


class PSNR(Cell):
    r"""$10 \log_{10}(max^2 / MSE)$ of two images, `(N, C, H, W)` -> `(N,)`, in decibels.

    `max_val`: the range of the images. Integer images and `max_val` are scaled to [0, 1].

    >>> nn.PSNR()(ops.zeros((1, 3, 4, 4)), ops.ones((1, 3, 4, 4)) / 10).asnumpy().round(3)
    array([20.], dtype=float32)
    """

    def __init__(self, max_val=1.0):
        super().__init__()
        kinds.POSITIVE("PSNR", max_val=max_val)
        self.max_val = max_val

    def construct(self, img1, img2):
        return peak_signal_to_noise(img1, img2, self.max_val)


class ImageGradients(Cell):
    """Forward differences of `(N, C, H, W)` along H and along W.

    Both have the shape of the images; the last row of the first and last column of the second are
    0.

    >>> dy, dx = nn.ImageGradients()(Tensor([[[[1, 2], [4, 8]]]]))
    >>> dy.tolist(), dx.tolist()
    ([[[[3, 6], [0, 0]]]], [[[[1, 0], [4, 0]]]])
    """

    def __init__(self):
        super().__init__()

    def construct(self, images):
        check_inputs("ImageGradients", images)
        return image_gradients(images)
