"""`mindspore.parallel.shard`, as sporax has it; written by tools/write_stubs.py."""

from sporax.distributed import *

