"""`mindspore.common.parameter`, as sporax has it; written by tools/write_stubs.py."""

from sporax.core.parameter import *

