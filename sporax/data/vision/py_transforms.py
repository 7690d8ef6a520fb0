"""`vision.py_transforms`, as before 2.0: the differences from `vision`, for Pillow images and for
arrays (C, H, W)."""

from sporax.data import vision
from sporax.data.vision.enums import Inter


class Decode(vision.Decode):
    """Decodes the bytes of an image file to a Pillow image."""

    def __init__(self):
        super().__init__(to_pil=True)


class Normalize(vision.Normalize):
    """Computes (x - mean) / std of each channel of an array (C, H, W)."""

    def __init__(self, mean, std):
        super().__init__(mean, std, is_hwc=False)


class NormalizePad(vision.NormalizePad):
    """Adds a channel of zeros after the others to `Normalize`."""

    def __init__(self, mean, std, dtype="float32"):
        super().__init__(mean, std, dtype, is_hwc=False)


class Resize(vision.Resize):
    """Resizes a Pillow image to `size`."""

    def __init__(self, size, interpolation=Inter.BILINEAR):
        super().__init__(size, interpolation)


class Cutout(vision.CutOut):
    """Sets `num_patches` random squares of an array (C, H, W) to 0."""

    def __init__(self, length, num_patches=1):
        super().__init__(length, num_patches, is_hwc=False)


__all__ = ["Cutout", "Decode", "Normalize", "NormalizePad", "Resize"]
