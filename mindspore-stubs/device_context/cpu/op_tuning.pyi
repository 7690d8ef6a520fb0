"""`mindspore.device_context.cpu.op_tuning`, as sporax has it; written by tools/write_stubs.py."""

from sporax.core.tuning import *

