"""`mindspore.mindrecord`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.mindrecord import *

