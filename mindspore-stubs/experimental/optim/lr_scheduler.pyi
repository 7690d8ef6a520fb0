"""`mindspore.experimental.optim.lr_scheduler`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim.experimental.lr_scheduler import *

