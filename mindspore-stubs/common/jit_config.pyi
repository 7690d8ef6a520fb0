"""`mindspore.common.jit_config`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *

