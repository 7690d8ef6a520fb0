"""`mindspore.nn`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.core.parameter import Parameter as Parameter
from sporax._src.mindspore.compat.private_functions import no_init_parameters as no_init_parameters
from sporax._src.optim import *
from sporax.mint.nn import Linear as Linear
from sporax.nn import *
from sporax.train import *
from sporax.train.data_sink import GetNextSingleOp as GetNextSingleOp

