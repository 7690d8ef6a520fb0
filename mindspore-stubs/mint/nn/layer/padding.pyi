"""`mindspore.mint.nn.layer.padding`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_functional_layers import ZeroPad1d as ZeroPad1d
from sporax.nn.mint_functional_layers import ZeroPad3d as ZeroPad3d

