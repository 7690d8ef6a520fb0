"""`mindspore.mint.optim`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.optim import *

