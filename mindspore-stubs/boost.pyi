"""`mindspore.boost`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train.gradient_accumulation import *

