"""`vision.c_transforms`, as it was before 2.0: what differs from `vision`, for arrays alone."""

from sporax.data import argument_checks as check
from sporax.data import vision


class Decode(vision.Decode):
    """The bytes of an image file as an array (H, W, 3), red first, which `rgb` cannot change."""

    def __init__(self, rgb=True):
        if not check.true_or_false("Decode", "rgb", rgb):
            raise ValueError("For 'Decode', 'rgb' must be True. Use 'ConvertColor' after it.")
        super().__init__()


__all__ = ["Decode"]
