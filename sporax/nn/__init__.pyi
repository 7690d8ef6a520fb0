"""The cells, by name; written by tools/write_stubs.py."""

from sporax._src.optim.ada_factor import AdaFactor as AdaFactor
from sporax._src.optim.adadelta import Adadelta as Adadelta
from sporax._src.optim.adagrad import Adagrad as Adagrad
from sporax._src.optim.adam import Adam as Adam
from sporax._src.optim.adam import AdamOffload as AdamOffload
from sporax._src.optim.adam import AdamWeightDecay as AdamWeightDecay
from sporax._src.optim.adam import LazyAdam as LazyAdam
from sporax._src.optim.adamax import AdaMax as AdaMax
from sporax._src.optim.asgd import ASGD as ASGD
from sporax._src.optim.lamb_lars import LARS as LARS
from sporax._src.optim.lamb_lars import Lamb as Lamb
from sporax._src.optim.momentum import Momentum as Momentum
from sporax._src.optim.optimizer import Optimizer as Optimizer
from sporax._src.optim.proximal import FTRL as FTRL
from sporax._src.optim.proximal import ProximalAdagrad as ProximalAdagrad
from sporax._src.optim.rmsprop import RMSProp as RMSProp
from sporax._src.optim.rprop import Rprop as Rprop
from sporax._src.optim.sgd import SGD as SGD
from sporax._src.optim.thor import thor as thor
from sporax._src.optim.wrappers import AdaSumByDeltaWeightWrapCell as AdaSumByDeltaWeightWrapCell
from sporax._src.optim.wrappers import AdaSumByGradWrapCell as AdaSumByGradWrapCell
from sporax._src.optim.wrappers import OptTFTWrapper as OptTFTWrapper
from sporax.nn.activation import CELU as CELU
from sporax.nn.activation import ELU as ELU
from sporax.nn.activation import FastGelu as FastGelu
from sporax.nn.activation import GELU as GELU
from sporax.nn.activation import HShrink as HShrink
from sporax.nn.activation import HSigmoid as HSigmoid
from sporax.nn.activation import HSwish as HSwish
from sporax.nn.activation import Hardtanh as Hardtanh
from sporax.nn.activation import Identity as Identity
from sporax.nn.activation import LeakyReLU as LeakyReLU
from sporax.nn.activation import LogSigmoid as LogSigmoid
from sporax.nn.activation import LogSoftmax as LogSoftmax
from sporax.nn.activation import Mish as Mish
from sporax.nn.activation import PReLU as PReLU
from sporax.nn.activation import ReLU as ReLU
from sporax.nn.activation import ReLU6 as ReLU6
from sporax.nn.activation import SiLU as SiLU
from sporax.nn.activation import Sigmoid as Sigmoid
from sporax.nn.activation import SoftShrink as SoftShrink
from sporax.nn.activation import Softmax as Softmax
from sporax.nn.activation import Softmax2d as Softmax2d
from sporax.nn.activation import Softmin as Softmin
from sporax.nn.activation import Softsign as Softsign
from sporax.nn.activation import Tanh as Tanh
from sporax.nn.activation import Threshold as Threshold
from sporax.nn.activation import get_activation as get_activation
from sporax.nn.array_layers import ClipByNorm as ClipByNorm
from sporax.nn.array_layers import Flatten as Flatten
from sporax.nn.array_layers import L1Regularizer as L1Regularizer
from sporax.nn.array_layers import MatMul as MatMul
from sporax.nn.array_layers import MatrixDiagPart as MatrixDiagPart
from sporax.nn.array_layers import Moments as Moments
from sporax.nn.array_layers import Norm as Norm
from sporax.nn.array_layers import OneHot as OneHot
from sporax.nn.array_layers import Range as Range
from sporax.nn.array_layers import ReduceLogSumExp as ReduceLogSumExp
from sporax.nn.array_layers import Roll as Roll
from sporax.nn.array_layers import Tril as Tril
from sporax.nn.array_layers import Triu as Triu
from sporax.nn.array_layers import Unflatten as Unflatten
from sporax.nn.attention import MultiheadAttention as MultiheadAttention
from sporax.nn.cell import Cell as Cell
from sporax.nn.cell_buffers import register_cell_buffer_registration_hook as register_cell_buffer_registration_hook
from sporax.nn.container import CellDict as CellDict
from sporax.nn.container import CellList as CellList
from sporax.nn.container import SequentialCell as SequentialCell
from sporax.nn.conv_bn_act import Conv2dBnAct as Conv2dBnAct
from sporax.nn.conv_bn_act import DenseBnAct as DenseBnAct
from sporax.nn.convolution import Conv1d as Conv1d
from sporax.nn.convolution import Conv2d as Conv2d
from sporax.nn.convolution import Conv3d as Conv3d
from sporax.nn.dense import BiDense as BiDense
from sporax.nn.dense import Dense as Dense
from sporax.nn.dropout import Dropout as Dropout
from sporax.nn.dropout import Dropout1d as Dropout1d
from sporax.nn.dropout import Dropout2d as Dropout2d
from sporax.nn.dropout import Dropout2dExt as Dropout2dExt
from sporax.nn.dropout import Dropout3d as Dropout3d
from sporax.nn.dropout import DropoutExt as DropoutExt
from sporax.nn.dropout import RReLU as RReLU
from sporax.nn.dynamic_lr import cosine_decay_lr as cosine_decay_lr
from sporax.nn.dynamic_lr import exponential_decay_lr as exponential_decay_lr
from sporax.nn.dynamic_lr import inverse_decay_lr as inverse_decay_lr
from sporax.nn.dynamic_lr import natural_exp_decay_lr as natural_exp_decay_lr
from sporax.nn.dynamic_lr import piecewise_constant_lr as piecewise_constant_lr
from sporax.nn.dynamic_lr import polynomial_decay_lr as polynomial_decay_lr
from sporax.nn.dynamic_lr import warmup_lr as warmup_lr
from sporax.nn.embedding import Embedding as Embedding
from sporax.nn.embedding import EmbeddingLookup as EmbeddingLookup
from sporax.nn.embedding import MultiFieldEmbeddingLookup as MultiFieldEmbeddingLookup
from sporax.nn.functional_layers import CTCLoss as CTCLoss
from sporax.nn.graph_cell import GraphCell as GraphCell
from sporax.nn.image_layers import CentralCrop as CentralCrop
from sporax.nn.image_layers import ImageGradients as ImageGradients
from sporax.nn.image_layers import MSSSIM as MSSSIM
from sporax.nn.image_layers import PSNR as PSNR
from sporax.nn.image_layers import PixelShuffle as PixelShuffle
from sporax.nn.image_layers import PixelUnshuffle as PixelUnshuffle
from sporax.nn.image_layers import ResizeBilinear as ResizeBilinear
from sporax.nn.image_layers import SSIM as SSIM
from sporax.nn.image_layers import Unfold as Unfold
from sporax.nn.image_layers import Upsample as Upsample
from sporax.nn.jacobian_products import Jvp as Jvp
from sporax.nn.jacobian_products import Vjp as Vjp
from sporax.nn.learning_rate_schedule import CosineDecayLR as CosineDecayLR
from sporax.nn.learning_rate_schedule import ExponentialDecayLR as ExponentialDecayLR
from sporax.nn.learning_rate_schedule import InverseDecayLR as InverseDecayLR
from sporax.nn.learning_rate_schedule import NaturalExpDecayLR as NaturalExpDecayLR
from sporax.nn.learning_rate_schedule import PolynomialDecayLR as PolynomialDecayLR
from sporax.nn.learning_rate_schedule import WarmUpLR as WarmUpLR
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
from sporax.nn.loss_scale import DynamicLossScaleUpdateCell as DynamicLossScaleUpdateCell
from sporax.nn.loss_scale import FixedLossScaleUpdateCell as FixedLossScaleUpdateCell
from sporax.nn.loss_scale import TrainOneStepWithLossScaleCell as TrainOneStepWithLossScaleCell
from sporax.nn.margin_losses import CosineEmbeddingLoss as CosineEmbeddingLoss
from sporax.nn.margin_losses import HingeEmbeddingLoss as HingeEmbeddingLoss
from sporax.nn.margin_losses import MarginRankingLoss as MarginRankingLoss
from sporax.nn.margin_losses import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from sporax.nn.margin_losses import MultiMarginLoss as MultiMarginLoss
from sporax.nn.margin_losses import MultilabelMarginLoss as MultilabelMarginLoss
from sporax.nn.margin_losses import SoftMarginLoss as SoftMarginLoss
from sporax.nn.margin_losses import TripletMarginLoss as TripletMarginLoss
from sporax.nn.margin_losses import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from sporax.nn.micro_batches import GradAccumulationCell as GradAccumulationCell
from sporax.nn.micro_batches import MicroBatchInterleaved as MicroBatchInterleaved
from sporax.nn.micro_batches import ParameterUpdate as ParameterUpdate
from sporax.nn.micro_batches import PipelineCell as PipelineCell
from sporax.nn.micro_batches import PipelineGradReducer as PipelineGradReducer
from sporax.nn.micro_batches import TimeDistributed as TimeDistributed
from sporax.nn.micro_batches import VirtualDatasetCellTriple as VirtualDatasetCellTriple
from sporax.nn.mint_layers import AvgPool2dExt as AvgPool2dExt
from sporax.nn.mint_layers import EmbeddingExt as EmbeddingExt
from sporax.nn.mint_layers import PReLUExt as PReLUExt
from sporax.nn.mint_normalization import LayerNormExt as LayerNormExt
from sporax.nn.normalization import BatchNorm1d as BatchNorm1d
from sporax.nn.normalization import BatchNorm2d as BatchNorm2d
from sporax.nn.normalization import BatchNorm3d as BatchNorm3d
from sporax.nn.normalization import GroupNorm as GroupNorm
from sporax.nn.normalization import InstanceNorm1d as InstanceNorm1d
from sporax.nn.normalization import InstanceNorm2d as InstanceNorm2d
from sporax.nn.normalization import InstanceNorm3d as InstanceNorm3d
from sporax.nn.normalization import LayerNorm as LayerNorm
from sporax.nn.normalization import SyncBatchNorm as SyncBatchNorm
from sporax.nn.padding import ConstantPad1d as ConstantPad1d
from sporax.nn.padding import ConstantPad2d as ConstantPad2d
from sporax.nn.padding import ConstantPad3d as ConstantPad3d
from sporax.nn.padding import Pad as Pad
from sporax.nn.padding import ReflectionPad1d as ReflectionPad1d
from sporax.nn.padding import ReflectionPad2d as ReflectionPad2d
from sporax.nn.padding import ReflectionPad3d as ReflectionPad3d
from sporax.nn.padding import ReplicationPad1d as ReplicationPad1d
from sporax.nn.padding import ReplicationPad2d as ReplicationPad2d
from sporax.nn.padding import ReplicationPad3d as ReplicationPad3d
from sporax.nn.padding import ZeroPad2d as ZeroPad2d
from sporax.nn.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from sporax.nn.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from sporax.nn.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from sporax.nn.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from sporax.nn.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from sporax.nn.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from sporax.nn.pooling import AvgPool1d as AvgPool1d
from sporax.nn.pooling import AvgPool2d as AvgPool2d
from sporax.nn.pooling import AvgPool3d as AvgPool3d
from sporax.nn.pooling import MaxPool1d as MaxPool1d
from sporax.nn.pooling import MaxPool2d as MaxPool2d
from sporax.nn.pooling import MaxPool3d as MaxPool3d
from sporax.nn.recurrent import GRU as GRU
from sporax.nn.recurrent import GRUCell as GRUCell
from sporax.nn.recurrent import LSTM as LSTM
from sporax.nn.recurrent import LSTMCell as LSTMCell
from sporax.nn.recurrent import RNN as RNN
from sporax.nn.recurrent import RNNCell as RNNCell
from sporax.nn.sparse import SparseTensorDenseMatmul as SparseTensorDenseMatmul
from sporax.nn.sparse import SparseToDense as SparseToDense
from sporax.nn.thor_layers import Conv2dThor as Conv2dThor
from sporax.nn.thor_layers import DenseThor as DenseThor
from sporax.nn.thor_layers import EmbeddingLookupThor as EmbeddingLookupThor
from sporax.nn.thor_layers import EmbeddingThor as EmbeddingThor
from sporax.nn.training_cells import DistributedGradReducer as DistributedGradReducer
from sporax.nn.training_cells import ForwardValueAndGrad as ForwardValueAndGrad
from sporax.nn.training_cells import TrainOneStepCell as TrainOneStepCell
from sporax.nn.training_cells import WithEvalCell as WithEvalCell
from sporax.nn.training_cells import WithGradCell as WithGradCell
from sporax.nn.training_cells import WithLossCell as WithLossCell
from sporax.nn.transformer import Transformer as Transformer
from sporax.nn.transformer import TransformerDecoder as TransformerDecoder
from sporax.nn.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from sporax.nn.transformer import TransformerEncoder as TransformerEncoder
from sporax.nn.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from sporax.nn.transposed_convolution import Conv1dTranspose as Conv1dTranspose
from sporax.nn.transposed_convolution import Conv2dTranspose as Conv2dTranspose
from sporax.nn.transposed_convolution import Conv3dTranspose as Conv3dTranspose
from sporax.ops.primitive import Primitive as Primitive
from typing import Any

class AvgPool1dExt(Primitive):
    """As `avg_pool2d`, for `(N, C, L)`."""
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class AvgPool3dExt(Primitive):
    """As `avg_pool2d`, for `(N, C, D, H, W)`; settings are ints or three."""
    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class ChannelShuffle(Primitive):
    """Interleave the channels of `(N, C, *)` from `groups` equal groups."""
    def __init__(self, groups) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class DiGamma(Primitive):
    r"""$\psi(x) = \frac{d}{dx} \ln \Gamma(x)$, element by element; infinite at 0."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class FractionalMaxPool2d(Primitive):
    """Maxima over `output_size` windows of `(N, C, H, W)` or `(C, H, W)`, with random starts."""
    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class FractionalMaxPool3d(Primitive):
    """As `fractional_max_pool2d`, for `(N, C, D, H, W)` or `(C, D, H, W)`."""
    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class GLU(Primitive):
    r"""$a \, \sigma(b)$, with $a$ and $b$ the halves of `input` along `axis`."""
    def __init__(self, axis=-1) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class IGamma(Primitive):
    r"""$P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a - 1} e^{-t} dt$ with a `input`, x `other`."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class L1LossExt(Primitive):
    """$|input - target|$, broadcast together; `reduction`: 'mean', 'sum' or 'none'."""
    def __init__(self, reduction='mean') -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LBeta(Primitive):
    r"""$\ln B(x, y) = \ln \Gamma(x) + \ln \Gamma(y) - \ln \Gamma(x + y)$ for positive numbers; stable if one is much larger than the other."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LGamma(Primitive):
    r"""$\ln |\Gamma(x)|$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LPPool1d(Primitive):
    r"""$(\sum x^p)^{1/p}$ of each window of `(N, C, L)` or `(C, L)`, p being `norm_type`."""
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LPPool2d(Primitive):
    """As `lp_pool1d`, for `(N, C, H, W)`; `kernel_size`, `stride`: an int or two."""
    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LRN(Primitive):
    r"""$x_c (bias + \alpha \sum_{c'} x_{c'}^2)^{-\beta}$ over the channels from $c - r$ to $c + r$, r being `depth_radius`: `(N, C, H, W)` (Krizhevsky et al., 2012)."""
    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region='ACROSS_CHANNELS') -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class LogSoftmaxExt(Primitive):
    r"""$x_i - \ln \sum_j e^{x_j}$ along `dim`; None as in `softmax`."""
    def __init__(self, dim=None) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MatDet(Primitive):
    """The determinant of each matrix in the last two dimensions."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MatInverse(Primitive):
    """The inverse of each matrix in the last two dimensions."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MatrixDiag(Primitive):
    """Return matrices with the last axis as the diagonal `k`, `padding_value` elsewhere."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MatrixSetDiag(Primitive):
    """Replace the diagonal `k` of matrices `x`, or several for `k` (low, high), by `diagonal`."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MaxPool2dExt(Primitive):
    """The maximum of each window of `(N, C, H, W)`."""
    def __init__(self, kernel_size=1, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MaxUnpool1d(Primitive):
    """Write each maximum back to its position, zeros elsewhere: `(N, C, L)`."""
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MaxUnpool2d(Primitive):
    """Write each maximum back to its position, zeros elsewhere: `(N, C, H, W)`."""
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class MaxUnpool3d(Primitive):
    """Write each maximum back to its position, zeros elsewhere: `(N, C, D, H, W)`."""
    def __init__(self, kernel_size, stride=None, padding=0) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class SeLU(Primitive):
    r"""$1.0507 (\max(0, x) + \min(0, 1.6733 (e^x - 1)))$, element by element."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
class Tanhshrink(Primitive):
    r"""$x - \tanh x$."""
    def __init__(self) -> None: ...
    def __call__(self, *args, **kwargs) -> Any: ...
