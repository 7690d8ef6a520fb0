"""`mindspore.train.train_thor`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

