"""`mindspore.nn.optim`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.optim import *

