"""`mindspore.mint.optim.fused_adamw`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.optim.mint_optimizers import FusedAdamW as FusedAdamW

