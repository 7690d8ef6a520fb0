"""`mindspore.mint.nn.functional`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.nn.functional import *

