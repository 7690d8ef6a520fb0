"""`mindspore.scipy.fft`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.fft import *

