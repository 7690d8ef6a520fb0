"""`mindspore.nn.init`, as sporax has it; written by tools/write_stubs.py."""

from sporax.initializers import *

