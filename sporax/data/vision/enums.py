"""Enumerations for the arguments of image transforms."""

import enum


class Inter(enum.IntEnum):
    """The interpolation between pixels; ANTIALIAS is only for Pillow images, AREA and PILCUBIC only
    for arrays.

    >>> Inter.LINEAR is Inter.BILINEAR
    True
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(enum.StrEnum):
    """The padding of an image: one colour, its border pixels, or its reflection without (REFLECT)
    or with (SYMMETRIC) these.

    >>> Border.EDGE.value
    'edge'
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageBatchFormat(enum.IntEnum):
    """The position of the channel axis of a batch.

    >>> ImageBatchFormat.NCHW.name
    'NCHW'
    """

    NHWC = 0
    NCHW = 1


class SliceMode(enum.IntEnum):
    """The treatment of an image that cannot be cut into equal parts.

    >>> SliceMode.DROP.name
    'DROP'
    """

    PAD = 0
    DROP = 1


class ConvertMode(enum.IntEnum):
    """Conversions between kinds of channels.

    >>> ConvertMode.COLOR_RGB2BGR is ConvertMode.COLOR_BGR2RGB
    True
    """

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageReadMode(enum.IntEnum):
    """The channels that a file is decoded to.

    >>> ImageReadMode.COLOR.name
    'COLOR'
    """

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class AutoAugmentPolicy(enum.StrEnum):
    """The dataset for which an augmentation policy was learned.

    >>> AutoAugmentPolicy.SVHN.value
    'svhn'
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


__all__ = [
    "AutoAugmentPolicy", "Border", "ConvertMode", "ImageBatchFormat", "ImageReadMode", "Inter",
    "SliceMode",
]  # fmt: skip
