"""`mindspore.mint.optim.adamw`, as sporax has it; written by tools/write_stubs.py."""

from sporax.optim.mint_optimizers import AdamW as AdamW

