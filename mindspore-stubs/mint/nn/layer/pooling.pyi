"""`mindspore.mint.nn.layer.pooling`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_faces import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from sporax.nn.mint_faces import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from sporax.nn.mint_faces import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from sporax.nn.mint_faces import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from sporax.nn.mint_faces import MaxUnpool2d as MaxUnpool2d

