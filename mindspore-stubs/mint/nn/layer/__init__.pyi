"""`mindspore.mint.nn.layer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.nn import *

