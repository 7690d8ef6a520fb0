"""`mindspore.parallel`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.devices.distributed import *
from sporax._src.devices.distributed.parallel_context import *
from sporax.nn.training_cells import parameter_broadcast as parameter_broadcast
from sporax.parallel import *

