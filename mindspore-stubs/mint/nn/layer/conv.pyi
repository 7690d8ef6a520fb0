"""`mindspore.mint.nn.layer.conv`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_layers import Conv1d as Conv1d
from sporax.nn.mint_layers import Conv2d as Conv2d
from sporax.nn.mint_layers import Conv3d as Conv3d
from sporax.nn.mint_layers import ConvTranspose2d as ConvTranspose2d

