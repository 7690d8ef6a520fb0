"""`mindspore.scipy.ops`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.ops import *

