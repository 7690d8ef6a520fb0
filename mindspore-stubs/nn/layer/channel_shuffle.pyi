"""`mindspore.nn.layer.channel_shuffle`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *

