"""`mindspore.amp`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *

