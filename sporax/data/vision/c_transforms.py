"""`vision.c_transforms`, as before 2.0: the differences from `vision`, only for arrays."""

from sporax.data import argument_checks as check
from sporax.data import vision


class Decode(vision.Decode):
    """Decodes the bytes of an image file to an array (H, W, 3) in RGB; `rgb` must be True."""

    def __init__(self, rgb=True):
        if not check.true_or_false("Decode", "rgb", rgb):
            raise ValueError("For 'Decode', 'rgb' must be True. Use 'ConvertColor' after it.")
        super().__init__()


__all__ = ["Decode"]
