"""`mindspore.mint.nn`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.nn import *
from sporax.nn.mint_faces import BCELoss as BCELoss
from sporax.nn.mint_faces import BCEWithLogitsLoss as BCEWithLogitsLoss
from sporax.nn.mint_faces import CosineEmbeddingLoss as CosineEmbeddingLoss
from sporax.nn.mint_faces import CrossEntropyLoss as CrossEntropyLoss
from sporax.nn.mint_faces import GELU as GELU
from sporax.nn.mint_faces import Hardtanh as Hardtanh
from sporax.nn.mint_faces import KLDivLoss as KLDivLoss
from sporax.nn.mint_faces import MSELoss as MSELoss
from sporax.nn.mint_faces import Mish as Mish
from sporax.nn.mint_faces import NLLLoss as NLLLoss
from sporax.nn.mint_faces import PixelShuffle as PixelShuffle
from sporax.nn.mint_faces import ReLU6 as ReLU6
from sporax.nn.mint_faces import SELU as SELU
from sporax.nn.mint_faces import SmoothL1Loss as SmoothL1Loss
from sporax.nn.mint_faces import UpsamplingBilinear2d as UpsamplingBilinear2d
from sporax.nn.mint_faces import UpsamplingNearest2d as UpsamplingNearest2d

