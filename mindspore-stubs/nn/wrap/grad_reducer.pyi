"""`mindspore.nn.wrap.grad_reducer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.wrap import DistributedGradReducer as DistributedGradReducer

