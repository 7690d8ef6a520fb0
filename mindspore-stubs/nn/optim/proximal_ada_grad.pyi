"""`mindspore.nn.optim.proximal_ada_grad`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim import *

