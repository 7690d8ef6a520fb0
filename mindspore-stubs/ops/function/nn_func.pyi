"""`mindspore.ops.function.nn_func`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *
from sporax.ops import *
from sporax.ops import log_softmax as _innner_log_softmax

