"""`mindspore.nn.layer.combined`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *

