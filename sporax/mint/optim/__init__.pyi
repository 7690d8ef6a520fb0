"""What `mint.optim` has; written by tools/write_stubs.py."""

from sporax._src.optim.mint_optimizers import Adam as Adam
from sporax._src.optim.mint_optimizers import AdamW as AdamW
from sporax._src.optim.mint_optimizers import FusedAdamW as FusedAdamW
from sporax._src.optim.mint_optimizers import SGD as SGD

