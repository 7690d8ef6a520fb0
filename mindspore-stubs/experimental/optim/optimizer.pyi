"""`mindspore.experimental.optim.optimizer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim.experimental import *

