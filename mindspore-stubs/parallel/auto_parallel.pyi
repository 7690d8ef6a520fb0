"""`mindspore.parallel.auto_parallel`, as sporax has it; written by tools/write_stubs.py."""

from sporax import jit as jit
from sporax._src.devices.distributed import *
from sporax._src.devices.distributed import get_rank as get_rank
from sporax.nn import Cell as Cell
from sporax.parallel import *
from sporax.parallel.auto_parallel import AutoParallel as AutoParallel

