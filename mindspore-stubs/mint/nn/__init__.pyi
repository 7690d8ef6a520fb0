"""`mindspore.mint.nn`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.nn import *

