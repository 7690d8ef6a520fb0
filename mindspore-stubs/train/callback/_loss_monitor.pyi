"""`mindspore.train.callback._loss_monitor`, as sporax has it; written by tools/write_stubs.py."""

from sporax.train import *

