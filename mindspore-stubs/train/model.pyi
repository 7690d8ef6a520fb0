"""`mindspore.train.model`, as sporax has it; written by tools/write_stubs.py."""

from sporax import ParallelMode as ParallelMode
from sporax._src.mindspore.compat.private_functions import _StepSync as _StepSync
from sporax._src.mindspore.compat.private_functions import _transfer_tensor_to_tuple as _transfer_tensor_to_tuple
from sporax.train import *
from sporax.train.model import Model as Model

