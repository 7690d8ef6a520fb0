"""Random geometric transforms: each draws its parameters and applies a fixed transform."""

import math

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, NOT_NEGATIVE, POSITIVE, member_of, within
from sporax._src.diagnosis.rules import require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.vision.cropping import Pad
from sporax.data.vision.enums import Border, Inter
from sporax.data.vision.format_conversion import opened
from sporax.data.vision.geometry import (
    Resize,
    affine_matrix,
    each,
    for_arrays,
    for_pictures,
    perspective_picture,
    turned,
    turning,
)
from sporax.data.vision.image import (
    Drawn,
    PictureOperation,
    TensorOperation,
    crop,
    extent,
    is_picture,
    pillow,
)
from sporax.data.vision.random_colour import probability, uniform
from sporax.data.vision.resampling import mapped


class RandomCrop(Drawn):
    """Crops a random part of `size`.

    The image is first padded as by `Pad`, if `padding` is given, and with `pad_if_needed` also if
    it is smaller than `size`.

    >>> RandomCrop(2)(np.zeros((4, 4, 3))).shape
    (2, 2, 3)
    """

    def __init__(
        self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT
    ):
        self.size = check.size(self._who, size)
        self.pad_if_needed = BOOL.checked(self._who, "pad_if_needed", pad_if_needed)
        self._around = fill_value, padding_mode
        self._pad = Pad(0 if padding is None else padding, fill_value, padding_mode)

    def _draw(self, image):
        return self._cropped

    def _cropped(self, image):
        image, _, box = self._placed(image)
        cropped = crop(image, *box)
        return cropped if is_picture(cropped) else cropped.copy()

    def _placed(self, image):
        """Return the padded image, its (left, top) edges, and the (top, left, height, width) of a
        random part of it."""
        edges = np.array(self._pad.padding[:2])
        if any(self._pad.padding):
            image = self._pad(image)
        height, width = self.size
        down, across = height - extent(image)[0], width - extent(image)[1]
        if max(down, across) > 0 and self.pad_if_needed:
            lack = max(across, 0), max(down, 0)
            image, edges = Pad(lack * 2, *self._around)(image), edges + lack
        rows, columns = extent(image)
        fits = height <= rows and width <= columns
        fields = {"rows": rows, "columns": columns}
        require(fits, "at-most-image-or-pad", self._who, size=self.size, **fields)
        draw = random_streams.stream()
        top, left = int(draw.integers(rows - height + 1)), int(draw.integers(columns - width + 1))
        return image, edges, (top, left, height, width)


class RandomResizedCrop(Drawn):
    """Crops a random part of the image, and resizes it to `size`.

    `scale`: (least, most) area, as a fraction of the image's; `ratio`: of width to height. If none
    fits in `max_attempts` tries, the largest central part that fits is used.

    >>> RandomResizedCrop((2, 3))(np.zeros((4, 6, 3), np.uint8)).shape
    (2, 3, 3)
    """

    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=Inter.BILINEAR,
        max_attempts=10,
    ):  # fmt: skip
        who = self._who
        self._resize = Resize(check.size(who, size), interpolation)
        self.scale = check.interval(who, "scale", scale, NOT_NEGATIVE)
        POSITIVE.checked(who, "scale[1]", self.scale[1])
        self.ratio = check.interval(who, "ratio", ratio)
        POSITIVE.checked(who, "ratio[0]", self.ratio[0])
        self.max_attempts = check.COUNT.checked(who, "max_attempts", max_attempts)

    def _draw(self, image):
        box = self._box(image)
        return lambda image: self._resize(crop(image, *box))

    def _box(self, image):
        """Return the (top, left, height, width) of a random part."""
        box = random_box(extent(image), self.scale, self.ratio, self.max_attempts)
        return self._largest(*extent(image)) if box is None else box

    def _largest(self, rows, columns):
        least, most = self.ratio
        height, width = rows, columns
        if columns / rows < least:
            height = round(columns / least)
        elif columns / rows > most:
            width = round(rows * most)
        return round((rows - height) / 2), round((columns - width) / 2), height, width


def random_box(size, scale, ratio, attempts):
    """Return (top, left, height, width) of a random part; None if none fits in `attempts`."""
    draw, (rows, columns) = random_streams.stream(), size
    for _ in range(attempts):
        area = draw.uniform(*scale) * rows * columns
        shape = math.exp(draw.uniform(*np.log(ratio)))
        width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if 0 < width <= columns and 0 < height <= rows:
            top = int(draw.integers(rows - height + 1))
            return top, int(draw.integers(columns - width + 1)), height, width
    return None


class RandomCropDecodeResize(TensorOperation):
    """Applies `RandomResizedCrop` to the bytes of an image file (or to an image)."""

    def __init__(
        self, size, scale=(0.08, 1.0), ratio=(3.0 / 4.0, 4.0 / 3.0), interpolation=Inter.BILINEAR,
        max_attempts=10,
    ):  # fmt: skip
        self._crop = RandomResizedCrop(size, scale, ratio, interpolation, max_attempts)

    def __call__(self, image):
        if isinstance(image, bytes) or np.ndim(image) == 1:
            image = np.asarray(opened(type(self).__name__, image))
        return self._crop(image)


class RandomResize(Drawn):
    """Resizes the image to `size`, with a random interpolation.

    >>> RandomResize((2, 3))(np.zeros((4, 6, 3), np.uint8)).shape
    (2, 3, 3)
    """

    def __init__(self, size):
        self._ways = [
            Resize(size, how) for how in (Inter.LINEAR, Inter.NEAREST, Inter.BICUBIC, Inter.AREA)
        ]

    def _draw(self, image):
        resize = self._ways[int(random_streams.stream().integers(len(self._ways)))]
        return lambda image: resize(np.asarray(image))


def _angles(who, degrees):
    if isinstance(degrees, (int, float)):
        degrees = NOT_NEGATIVE.checked(who, "degrees", degrees)
        return -degrees, degrees
    return check.interval(who, "degrees", degrees)


class RandomRotation(Drawn):
    """Rotates the image by a random angle: `degrees` is (least, most), or d for (-d, d).

    The other arguments are as for `Rotate`.

    >>> RandomRotation(15)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        self.degrees = _angles(self._who, degrees)
        self.options = turning(self._who, resample, expand, center, fill_value)

    def _draw(self, image):
        angle, (how, expand, center, fill) = uniform(self.degrees), self.options
        if is_picture(image):
            way = for_pictures(self._who, how)
            return lambda image: image.rotate(
                angle, way, expand, center, fillcolor=_filling(image, fill)
            )
        return lambda image: turned(image, angle, for_arrays(self._who, how), expand, center, fill)


def _filling(image, fill):
    bands = len(image.getbands())
    return fill[0] if bands == 1 else (*fill, 255)[:bands]


class RandomAffine(Drawn):
    """Rotates, translates, scales and shears the image at random.

    `degrees`: (least, most), or d for (-d, d). `translate`: (least, most) along x, or also along
    y, as fractions of the image. `scale`: (least, most). `shear`: (least, most) degrees along x, or
    also along y, or s for (-s, s). `fill_value`: of pixels outside of the image.

    >>> RandomAffine(15)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(
        self, degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST, fill_value=0
    ):
        who = self._who
        self.degrees = _angles(who, degrees)
        moved = (0.0,) * 4 if translate is None else translate
        moved = check.several(who, "translate", moved, (2, 4), within(-1, 1))
        self.translate = (*moved, 0.0, 0.0)[:4]
        self.scale = check.interval(
            who, "scale", (1.0, 1.0) if scale is None else scale, NOT_NEGATIVE
        )
        POSITIVE.checked(who, "scale[1]", self.scale[1])
        if isinstance(shear, (int, float)):
            shear = -POSITIVE.checked(who, "shear", shear), shear
        sheared = (0.0,) * 4 if shear is None else shear
        sheared = check.several(who, "shear", sheared, (2, 4), check.ORDERED)
        self.shear = (*sheared, 0.0, 0.0)[:4]
        for name in ("translate", "shear"):
            limits = getattr(self, name)
            check.interval(who, name, limits[:2]), check.interval(who, name, limits[2:])
        self.resample = member_of(Inter).checked(who, "resample", resample)
        self.fill_value = check.colour(who, fill_value)

    def _draw(self, image):
        rows, columns = extent(image)
        x, y = self.translate[:2], self.translate[2:]
        matrix = affine_matrix(
            image, uniform(self.degrees), (round(uniform(x) * columns), round(uniform(y) * rows)),
            uniform(self.scale), (uniform(self.shear[:2]), uniform(self.shear[2:])),
        )  # fmt: skip
        back, fill = np.linalg.inv(matrix), self.fill_value
        if is_picture(image):
            way = for_pictures(self._who, self.resample)
            (a, b, c), (d, e, f), _ = back.tolist()  # Pillow's pixels have their centres at 0.5
            flat = a, b, c + 0.5 - (a + b) / 2, d, e, f + 0.5 - (d + e) / 2
            return lambda image: image.transform(
                image.size, pillow().Transform.AFFINE, flat, way,
                fillcolor=_filling(image, fill),
            )  # fmt: skip
        how = for_arrays(self._who, self.resample)
        return lambda image: each(image, lambda one: mapped(one, back, (rows, columns), how, fill))


class RandomPerspective(PictureOperation):
    """Warps the perspective of a Pillow image, with probability `prob`; its corners move inward by
    at most `distortion_scale` of half of it."""

    def __init__(self, distortion_scale=0.5, prob=0.5, interpolation=Inter.BICUBIC):
        who = type(self).__name__
        self.distortion = check.SHARE.checked(who, "distortion_scale", distortion_scale)
        self.prob = probability(who, prob)
        self.interpolation = member_of(Inter).checked(who, "interpolation", interpolation)

    def _picture(self, image):
        draw, (rows, columns) = random_streams.stream(), extent(image)
        if draw.random() >= self.prob:
            return image
        corners = [(0, 0), (columns - 1, 0), (columns - 1, rows - 1), (0, rows - 1)]
        inward = [
            (abs(x - draw.integers(int(self.distortion * columns / 2) + 1)),
             abs(y - draw.integers(int(self.distortion * rows / 2) + 1)))
            for x, y in corners
        ]  # fmt: skip
        who = type(self).__name__
        return perspective_picture(who, image, corners, inward, self.interpolation)


__all__ = [
    "RandomAffine", "RandomCrop", "RandomCropDecodeResize", "RandomPerspective", "RandomResize",
    "RandomResizedCrop", "RandomRotation",
]  # fmt: skip
