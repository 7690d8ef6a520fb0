"""`mindspore.numpy`, as sporax has it; written by tools/write_stubs.py."""

from sporax.numpy import *

