"""`mindspore.train.callback`, as sporax has it; written by tools/write_stubs.py."""

from sporax.io.checkpoint_rotation import CheckpointManager as _CheckpointManager
from sporax.train import *

