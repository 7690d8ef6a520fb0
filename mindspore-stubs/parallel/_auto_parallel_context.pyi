"""`mindspore.parallel._auto_parallel_context`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import auto_parallel_context as auto_parallel_context
from sporax.core.parallel import *
from sporax.distributed import *

