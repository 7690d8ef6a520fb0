"""`mindspore.parallel`, as sporax has it; written by tools/write_stubs.py."""

from sporax.core.parallel import *
from sporax.distributed import *

