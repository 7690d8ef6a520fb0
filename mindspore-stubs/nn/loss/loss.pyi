"""`mindspore.nn.loss.loss`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn import LossBase as _Loss
from sporax.nn.functional_layers import CTCLoss as CTCLoss
from sporax.nn.loss import BCELoss as BCELoss
from sporax.nn.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from sporax.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from sporax.nn.loss import DiceLoss as DiceLoss
from sporax.nn.loss import FocalLoss as FocalLoss
from sporax.nn.loss import GaussianNLLLoss as GaussianNLLLoss
from sporax.nn.loss import HuberLoss as HuberLoss
from sporax.nn.loss import KLDivLoss as KLDivLoss
from sporax.nn.loss import L1Loss as L1Loss
from sporax.nn.loss import LossBase as LossBase
from sporax.nn.loss import MAELoss as MAELoss
from sporax.nn.loss import MSELoss as MSELoss
from sporax.nn.loss import MultiClassDiceLoss as MultiClassDiceLoss
from sporax.nn.loss import NLLLoss as NLLLoss
from sporax.nn.loss import PoissonNLLLoss as PoissonNLLLoss
from sporax.nn.loss import RMSELoss as RMSELoss
from sporax.nn.loss import SampledSoftmaxLoss as SampledSoftmaxLoss
from sporax.nn.loss import SmoothL1Loss as SmoothL1Loss
from sporax.nn.loss import SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits
from sporax.nn.margin_losses import CosineEmbeddingLoss as CosineEmbeddingLoss
from sporax.nn.margin_losses import HingeEmbeddingLoss as HingeEmbeddingLoss
from sporax.nn.margin_losses import MarginRankingLoss as MarginRankingLoss
from sporax.nn.margin_losses import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from sporax.nn.margin_losses import MultiMarginLoss as MultiMarginLoss
from sporax.nn.margin_losses import MultilabelMarginLoss as MultilabelMarginLoss
from sporax.nn.margin_losses import SoftMarginLoss as SoftMarginLoss
from sporax.nn.margin_losses import TripletMarginLoss as TripletMarginLoss
from sporax.nn.margin_losses import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss

