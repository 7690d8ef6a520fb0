"""`mindspore.numpy.utils_const`, as sporax has it; written by tools/write_stubs.py."""

from sporax.numpy import *

