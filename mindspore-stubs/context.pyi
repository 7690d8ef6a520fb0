"""`mindspore.context`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax._src.core.context import *
from sporax._src.devices.distributed.parallel_context import *
from sporax._src.devices.distributed.parallel_context import ParallelMode as ParallelMode
from sporax._src.mindspore.compat.private_functions import DEBUG as DEBUG
from sporax.parallel import get_ps_context as get_ps_context
from sporax.parallel import reset_ps_context as reset_ps_context
from sporax.parallel import set_ps_context as set_ps_context

