"""`mindspore.numpy.fft`, as sporax has it; written by tools/write_stubs.py."""

from sporax.numpy.fft import *

