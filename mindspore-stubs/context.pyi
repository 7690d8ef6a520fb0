"""`mindspore.context`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax.compat.private_functions import DEBUG as DEBUG
from sporax.core.context import *
from sporax.distributed.parallel_context import *
from sporax.distributed.parallel_context import ParallelMode as ParallelMode

