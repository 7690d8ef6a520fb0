"""`mindspore.mint.optim.adam`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.optim.mint_optimizers import Adam as Adam

