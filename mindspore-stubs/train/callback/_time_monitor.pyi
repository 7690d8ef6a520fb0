"""`mindspore.train.callback._time_monitor`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

