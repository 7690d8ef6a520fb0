"""`mindspore.runtime`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.runtime import *

