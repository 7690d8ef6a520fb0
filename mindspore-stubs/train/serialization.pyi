"""`mindspore.train.serialization`, as sporax has it; written by tools/write_stubs.py."""

from sporax.io import *

