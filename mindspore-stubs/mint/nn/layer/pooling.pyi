"""`mindspore.mint.nn.layer.pooling`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_functional_layers import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from sporax.nn.mint_functional_layers import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from sporax.nn.mint_functional_layers import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from sporax.nn.mint_functional_layers import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from sporax.nn.mint_functional_layers import MaxUnpool2d as MaxUnpool2d

