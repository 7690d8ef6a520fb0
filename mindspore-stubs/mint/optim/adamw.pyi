"""`mindspore.mint.optim.adamw`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.optim.mint_optimizers import AdamW as AdamW

