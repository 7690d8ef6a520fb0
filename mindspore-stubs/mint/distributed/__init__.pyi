"""`mindspore.mint.distributed`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.distributed import *

