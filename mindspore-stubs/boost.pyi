"""`mindspore.boost`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train.boost import *

