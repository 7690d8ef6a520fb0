"""`mindspore.nn.loss.loss`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn import LossBase as _Loss

