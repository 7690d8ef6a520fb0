"""`mindspore.parallel._utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _device_number_check as _device_number_check
from sporax.distributed import *

