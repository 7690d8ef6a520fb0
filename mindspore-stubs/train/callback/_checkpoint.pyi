"""`mindspore.train.callback._checkpoint`, as sporax has it; written by tools/write_stubs.py."""

from sporax.io.rotation import CheckpointManager as CheckpointManager
from sporax.train import *

