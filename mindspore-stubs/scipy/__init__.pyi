"""`mindspore.scipy`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy import *

