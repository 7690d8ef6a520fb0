"""Resizing, rotation and warping of images."""

import math

import numpy as np

from sporax._src.diagnosis.argument_kinds import BOOL, POSITIVE, SEQUENCE, member_of, within
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data.vision.cropping import inside
from sporax.data.vision.enums import Inter
from sporax.data.vision.image import (
    ImageTensorOperation,
    crop,
    extent,
    pillow,
    single,
    with_channels,
)
from sporax.data.vision.resampling import mapped, resized


def for_pictures(who, how):
    """Return Pillow's constant of an interpolation; the values are the same."""
    fits = how not in (Inter.AREA, Inter.PILCUBIC)
    require(fits, "pictures-have-no", who, name=how.name)
    return pillow().Resampling(int(how))


def for_arrays(who, how):
    """Check an interpolation of arrays."""
    require(how != Inter.ANTIALIAS, "antialias-of-pictures", who)
    return how


def resize_array(who, image, size, how):
    """Resize an array to (height, width)."""
    whole = image.dtype.kind in "iu" and image.dtype not in (np.uint8, np.int16, np.uint16)
    fits = not whole and image.dtype != bool
    require(fits, "image-uint8-int16-uint16", who, got=image.dtype)
    if how == Inter.PILCUBIC:
        with_channels(who, image)
    return resized(image, size, for_arrays(who, how))


class Resize(ImageTensorOperation):
    """Resizes the image to `size`: (height, width), or an int for the shorter side.

    >>> Resize((2, 3))(np.zeros((8, 8, 3), np.uint8)).shape
    (2, 3, 3)
    """

    def __init__(self, size, interpolation=Inter.LINEAR):
        check.size(self._who, size)
        if interpolation is None:
            raise rejection("interpolation-not-none", "Resize", error=KeyError)
        self.interpolation = member_of(Inter).checked(self._who, "interpolation", interpolation)
        self.size = size

    def _goal(self, image):
        if not isinstance(self.size, int):
            return tuple(self.size)
        height, width = extent(image)
        if height < width:
            return self.size, int(self.size * width / height)
        return int(self.size * height / width), self.size

    def _array(self, image):
        return resize_array(self._who, image, self._goal(image), self.interpolation)

    def _picture(self, image):
        how = for_pictures(self._who, self.interpolation)
        return image.resize(self._goal(image)[::-1], how)


class ResizedCrop(ImageTensorOperation):
    """Crops a rectangle of an array, and resizes it to `size`.

    >>> ResizedCrop(0, 0, 2, 2, (4, 6))(np.zeros((4, 4, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, top, left, height, width, size, interpolation=Inter.BILINEAR):
        who = self._who
        self.box = (
            check.WHOLE.checked(who, "top", top), check.WHOLE.checked(who, "left", left),
            check.COUNT.checked(who, "height", height), check.COUNT.checked(who, "width", width),
        )  # fmt: skip
        self.interpolation = member_of(Inter).checked(who, "interpolation", interpolation)
        self.size = check.size(who, size)

    def _array(self, image):
        inner = crop(image, *inside(self._who, image, *self.box))
        return resize_array(self._who, inner, self.size, self.interpolation)


def about(centre, matrix):
    """Return the (2, 2) `matrix` about a point (x, y), as (3, 3)."""
    result = np.eye(3)
    result[:2, :2] = matrix
    result[:2, 2] = centre - np.asarray(matrix) @ centre
    return result


def middle(image):
    """Return the centre between an image's outer pixels, (x, y)."""
    rows, columns = extent(image)
    return np.array([(columns - 1) / 2, (rows - 1) / 2])


def turned(image, degrees, how, expand, centre, fill):
    """Rotate an array counter-clockwise about `centre` (x, y), the middle by default."""
    angle = math.radians(degrees)
    cos, sin = math.cos(angle), math.sin(angle)
    pivot = np.array(centre, float) if centre else middle(image)
    matrix, size = about(pivot, [[cos, sin], [-sin, cos]]), extent(image)
    if expand:
        rows, columns = size
        high = abs(rows * cos) + abs(columns * sin)
        wide = abs(columns * cos) + abs(rows * sin)
        matrix[:2, 2] += (wide - columns) / 2, (high - rows) / 2
        size = round(high), round(wide)
    return each(image, lambda one: mapped(one, np.linalg.inv(matrix), size, how, fill))


def each(image, function):
    """Apply a function of arrays (H, W, C) to each array of a batch."""
    if image.ndim <= 3:
        return function(image)
    results = np.stack([function(one) for one in image.reshape(-1, *image.shape[-3:])])
    return results.reshape(*image.shape[:-3], *results.shape[1:])


class Rotate(ImageTensorOperation):
    """Rotates an array counter-clockwise by `degrees`.

    `expand`: enlarge the result to the whole rotated image. `center`: (x, y), the middle by
    default. `fill_value`: of pixels outside of the image.

    >>> Rotate(90, expand=True)(np.zeros((4, 6, 3), np.uint8)).shape
    (6, 4, 3)
    """

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        self.degrees = check.ORDERED.checked(self._who, "degrees", degrees)
        self.options = turning(self._who, resample, expand, center, fill_value)

    def _array(self, image):
        how, *options = self.options
        return turned(image, self.degrees, for_arrays(self._who, how), *options)


def turning(who, resample, expand, center, fill_value):
    """Check the arguments of `Rotate` and `RandomRotation` besides the angle."""
    if center is not None:
        center = check.several(who, "center", center, (2,), check.ORDERED)
    return (
        member_of(Inter).checked(who, "resample", resample), BOOL.checked(who, "expand", expand),
        center, check.colour(who, fill_value),
    )  # fmt: skip


def affine_matrix(image, degrees, translate, scale, shear):
    """Return the map of pixels (3, 3): shear, scale, rotate about the middle, then translate."""
    angle, over, up = (math.radians(x) for x in (degrees, *shear))
    cos, sin = math.cos(angle - up) / math.cos(up), math.sin(angle - up) / math.cos(up)
    matrix = [
        [cos, -cos * math.tan(over) - math.sin(angle)],
        [sin, -sin * math.tan(over) + math.cos(angle)],
    ]
    result = about(middle(image), scale * np.array(matrix))
    result[:2, 2] += translate
    return result


class Affine(ImageTensorOperation):
    """Rotates an array clockwise by `degrees`, translates it by `translate` (fractions of width and
    height), scales it by `scale`, and shears it by `shear` degrees: one or two numbers.

    >>> Affine(90, [0, 0], 1.0, [0, 0])(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, degrees, translate, scale, shear, resample=Inter.NEAREST, fill_value=0):
        who = self._who
        self.degrees = check.ORDERED.checked(who, "degrees", degrees)
        self.translate = check.several(who, "translate", translate, (2,), within(-1, 1))
        self.scale = POSITIVE.checked(who, "scale", scale)
        if not isinstance(shear, (tuple, list)):
            shear = check.ORDERED.checked(who, "shear", shear), 0.0
        self.shear = check.several(who, "shear", shear, (2,), check.ORDERED)
        self.resample = member_of(Inter).checked(who, "resample", resample)
        self.fill_value = check.colour(who, fill_value)

    def _array(self, image):
        rows, columns = extent(image)
        moved = self.translate[0] * columns, self.translate[1] * rows
        matrix = affine_matrix(image, self.degrees, moved, self.scale, self.shear)
        how = for_arrays(self._who, self.resample)
        back = np.linalg.inv(matrix)
        return each(image, lambda one: mapped(one, back, extent(image), how, self.fill_value))


def _points(who, name, value):
    pairs = check.several(who, name, value, (4,), SEQUENCE)
    return [
        check.several(who, f"{name}[{i}]", pair, (2,), check.INT32) for i, pair in enumerate(pairs)
    ]


def perspective_matrix(points, images):
    """Return the map (3, 3) of four points (x, y) to four others."""
    rows, right = [], []
    for (x, y), (u, v) in zip(points, images, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    return np.append(np.linalg.solve(rows, right), 1).reshape(3, 3)


def perspective_picture(who, image, points, images, how):
    """Map a Pillow image so that `points` move to `images`."""
    back = perspective_matrix(images, points).ravel()[:8].tolist()
    perspective = pillow().Transform.PERSPECTIVE
    return image.transform(image.size, perspective, back, for_pictures(who, how))


class Perspective(ImageTensorOperation):
    """Warps the image so that four points (x, y), `start_points`, move to `end_points`.

    >>> corners = [[0, 0], [5, 0], [5, 3], [0, 3]]
    >>> Perspective(corners, corners)(np.zeros((4, 6, 3), np.uint8)).shape
    (4, 6, 3)
    """

    def __init__(self, start_points, end_points, interpolation=Inter.BILINEAR):
        self.start_points = _points(self._who, "start_points", start_points)
        self.end_points = _points(self._who, "end_points", end_points)
        self.interpolation = member_of(Inter).checked(self._who, "interpolation", interpolation)

    def _array(self, image):
        back = perspective_matrix(self.end_points, self.start_points)
        how = for_arrays(self._who, self.interpolation)
        return mapped(single(self._who, image), back, extent(image), how, (0,))

    def _picture(self, image):
        ends = self.start_points, self.end_points
        return perspective_picture(self._who, image, *ends, self.interpolation)


__all__ = ["Affine", "Perspective", "Resize", "ResizedCrop", "Rotate"]
