"""`mindspore.mint.nn.layer.basic`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_functional_layers import Flatten as Flatten

