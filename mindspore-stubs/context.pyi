"""`mindspore.context`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax.core.context import *
from sporax.core.parallel import *
from sporax.core.parallel import ParallelMode as ParallelMode

