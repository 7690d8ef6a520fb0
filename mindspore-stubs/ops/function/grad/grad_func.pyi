"""`mindspore.ops.function.grad.grad_func`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *

