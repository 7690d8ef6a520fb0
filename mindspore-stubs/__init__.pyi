"""`mindspore`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax import jit as ms_function
from sporax import jit_class as ms_class
from sporax._src.devices.sharding.layout import DistributedTensorInfo as _DistributedTensorInfo
from sporax._src.mindspore.compat.private_functions import _get_funcgraph as get_funcgraph
from sporax._src.mindspore.compat.private_functions import run_check as run_check
from sporax.ops import outer as outer
from sporax.ops import sum as sum

