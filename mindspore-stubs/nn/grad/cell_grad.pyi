"""`mindspore.nn.grad.cell_grad`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.grad import *

