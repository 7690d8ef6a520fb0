"""`mindspore.mint.nn`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.nn import *
from sporax.nn.mint_functional_layers import BCELoss as BCELoss
from sporax.nn.mint_functional_layers import BCEWithLogitsLoss as BCEWithLogitsLoss
from sporax.nn.mint_functional_layers import CosineEmbeddingLoss as CosineEmbeddingLoss
from sporax.nn.mint_functional_layers import CrossEntropyLoss as CrossEntropyLoss
from sporax.nn.mint_functional_layers import GELU as GELU
from sporax.nn.mint_functional_layers import Hardtanh as Hardtanh
from sporax.nn.mint_functional_layers import KLDivLoss as KLDivLoss
from sporax.nn.mint_functional_layers import MSELoss as MSELoss
from sporax.nn.mint_functional_layers import Mish as Mish
from sporax.nn.mint_functional_layers import NLLLoss as NLLLoss
from sporax.nn.mint_functional_layers import PixelShuffle as PixelShuffle
from sporax.nn.mint_functional_layers import ReLU6 as ReLU6
from sporax.nn.mint_functional_layers import SELU as SELU
from sporax.nn.mint_functional_layers import SmoothL1Loss as SmoothL1Loss
from sporax.nn.mint_functional_layers import UpsamplingBilinear2d as UpsamplingBilinear2d
from sporax.nn.mint_functional_layers import UpsamplingNearest2d as UpsamplingNearest2d

