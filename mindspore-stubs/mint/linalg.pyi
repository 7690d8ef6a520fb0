"""`mindspore.mint.linalg`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.linalg import *

