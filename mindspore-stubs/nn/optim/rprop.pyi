"""`mindspore.nn.optim.rprop`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim import *

