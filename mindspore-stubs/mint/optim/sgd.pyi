"""`mindspore.mint.optim.sgd`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.optim.mint_optimizers import SGD as SGD

