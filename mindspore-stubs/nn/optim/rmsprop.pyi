"""`mindspore.nn.optim.rmsprop`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim import *

