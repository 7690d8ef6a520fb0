"""`mindspore.communication._comm_helper`, as sporax has it; written by tools/write_stubs.py."""

from sporax.distributed import *

