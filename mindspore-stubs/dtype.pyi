"""`mindspore.dtype`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.core.dtype import *

