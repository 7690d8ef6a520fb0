"""`mindspore.nn.cell`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *

