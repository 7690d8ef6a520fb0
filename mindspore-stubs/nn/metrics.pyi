"""`mindspore.nn.metrics`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *
from sporax.train.metrics import *

