"""`mindspore.ops.operations`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import ControlDepend as ControlDepend
from sporax._src.transforms.autodiff import *
from sporax.ops import *
from sporax.train.data_sink import GetNext as GetNext

