"""`mindspore.ops.operations`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *
from sporax.compat.private_functions import ControlDepend as ControlDepend
from sporax.ops import *
from sporax.train.data_sink import GetNext as GetNext

