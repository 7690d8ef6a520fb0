"""`mindspore.scipy.linalg`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.linalg import *

