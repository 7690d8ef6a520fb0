"""`mindspore._checkparam`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.checks import *

