"""`mindspore.ops.composite`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.transforms.autodiff import *
from sporax.ops import *

