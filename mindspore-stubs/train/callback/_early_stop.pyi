"""`mindspore.train.callback._early_stop`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

