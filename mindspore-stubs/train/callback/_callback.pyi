"""`mindspore.train.callback._callback`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _handle_loss as _handle_loss
from sporax.train import *

