"""`mindspore.train.loss_scale_manager`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *

