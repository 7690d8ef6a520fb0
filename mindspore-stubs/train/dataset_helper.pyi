"""`mindspore.train.dataset_helper`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

