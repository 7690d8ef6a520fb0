"""`mindspore.parallel.auto_parallel`, as sporax has it; written by tools/write_stubs.py."""

from sporax.distributed import *
from sporax.parallel import *

