"""`mindspore.mint.optim.adam`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim.mint_optimizers import Adam as Adam

