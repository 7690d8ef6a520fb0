"""`vision.c_transforms`, as before 2.0: the differences from `vision`, only for arrays."""

from sporax._src.diagnosis.argument_kinds import BOOL
from sporax._src.diagnosis.rules import require
from sporax.data import vision


class Decode(vision.Decode):
    """Decodes the bytes of an image file to an array (H, W, 3) in RGB; `rgb` must be True."""

    def __init__(self, rgb=True):
        require(BOOL.checked("Decode", "rgb", rgb), "true", "Decode", argument="rgb")
        super().__init__()


__all__ = ["Decode"]
