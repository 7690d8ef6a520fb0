"""`mindspore.common.hook_handle`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *

