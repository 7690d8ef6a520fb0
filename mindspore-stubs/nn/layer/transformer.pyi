"""`mindspore.nn.layer.transformer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *

