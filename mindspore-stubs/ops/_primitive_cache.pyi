"""`mindspore.ops._primitive_cache`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *
from sporax.ops import *

