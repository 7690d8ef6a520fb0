"""`mindspore.common.np_dtype`, as sporax has it; written by tools/write_stubs.py."""

from sporax import bfloat16 as bfloat16
from sporax.core.dtype import *

