"""`mindspore.common.lazy_inline`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *

