"""`mindspore.train.model`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

