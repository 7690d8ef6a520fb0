"""Images: the ways to interpolate and to fill borders. Transforms of images are not there yet."""

import enum

from sporax.core.errors import missing


class Inter(enum.IntEnum):
    """How pixels between pixels are computed."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(enum.StrEnum):
    """What is around an image."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


__all__ = ["Border", "Inter"]


def __getattr__(name):
    raise missing("dataset.vision", name)
