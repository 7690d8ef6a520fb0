"""`mindspore.dataset.vision.c_transforms`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.vision import *
from sporax.data.vision.c_transforms import *

