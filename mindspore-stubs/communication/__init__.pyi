"""`mindspore.communication`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.devices.distributed import *

