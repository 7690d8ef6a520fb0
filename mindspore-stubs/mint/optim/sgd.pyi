"""`mindspore.mint.optim.sgd`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim.mint_optimizers import SGD as SGD

