"""Cells: the base class, containers, layers, losses and training steps."""

import importlib

from sporax._src.core.errors import missing
from sporax._src.core.hooks import hooks
from sporax.nn import mint_functional_layers, mint_layers, mint_normalization  # noqa: F401  (in `mint.nn`)
from sporax.nn.activation import (
    CELU,
    ELU,
    GELU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    Identity,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Threshold,
    get_activation,
)
from sporax.nn.array_layers import (
    ClipByNorm,
    Flatten,
    L1Regularizer,
    MatMul,
    MatrixDiagPart,
    Moments,
    Norm,
    OneHot,
    Range,
    ReduceLogSumExp,
    Roll,
    Tril,
    Triu,
    Unflatten,
)
from sporax.nn.attention import MultiheadAttention
from sporax.nn.cell import Cell
from sporax.nn.cell_buffers import register_cell_buffer_registration_hook
from sporax.nn.cell_path import calling_cells, path_of_cell, path_within
from sporax.nn.container import CellDict, CellList, SequentialCell
from sporax.nn.conv_bn_act import (
    Conv2dBnAct,
    DenseBnAct,
)
from sporax.nn.convolution import Conv1d, Conv2d, Conv3d
from sporax.nn.dense import BiDense, Dense
from sporax.nn.dropout import (
    Dropout,
    Dropout1d,
    Dropout2d,
    Dropout2dExt,
    Dropout3d,
    DropoutExt,
    RReLU,
)
from sporax.nn.dynamic_lr import (
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from sporax.nn.embedding import Embedding, EmbeddingLookup, MultiFieldEmbeddingLookup
from sporax.nn.functional_layers import (
    GLU,
    LRN,
    ChannelShuffle,
    CTCLoss,
    DiGamma,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    IGamma,
    LBeta,
    LGamma,
    LPPool1d,
    LPPool2d,
    MatDet,
    MatInverse,
    MatrixDiag,
    MatrixSetDiag,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
    SeLU,
    Tanhshrink,
)
from sporax.nn.graph_cell import GraphCell
from sporax.nn.image_layers import (
    MSSSIM,
    PSNR,
    SSIM,
    CentralCrop,
    ImageGradients,
    PixelShuffle,
    PixelUnshuffle,
    ResizeBilinear,
    Unfold,
    Upsample,
)
from sporax.nn.jacobian_products import Jvp, Vjp
from sporax.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from sporax.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    DiceLoss,
    FocalLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MAELoss,
    MSELoss,
    MultiClassDiceLoss,
    NLLLoss,
    PoissonNLLLoss,
    RMSELoss,
    SampledSoftmaxLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from sporax.nn.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from sporax.nn.margin_losses import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from sporax.nn.micro_batches import (
    GradAccumulationCell,
    MicroBatchInterleaved,
    ParameterUpdate,
    PipelineCell,
    PipelineGradReducer,
    TimeDistributed,
    VirtualDatasetCellTriple,
)
from sporax.nn.mint_layers import AvgPool2dExt, EmbeddingExt, PReLUExt
from sporax.nn.mint_normalization import LayerNormExt
from sporax.nn.normalization import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    GroupNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LayerNorm,
    SyncBatchNorm,
)
from sporax.nn.padding import (
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Pad,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad2d,
)
from sporax.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
)
from sporax.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from sporax.nn.sparse import SparseTensorDenseMatmul, SparseToDense
from sporax.nn.thor_layers import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from sporax.nn.training_cells import (
    DistributedGradReducer,
    ForwardValueAndGrad,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from sporax.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from sporax.nn.transposed_convolution import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose
from sporax.ops.declare import MINT

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LRN", "LSTM", "MSSSIM", "PSNR", "RNN", "SSIM",
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool1dExt", "AvgPool2d",
    "AvgPool2dExt", "AvgPool3d", "AvgPool3dExt", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d",
    "BatchNorm2d", "BatchNorm3d", "BiDense", "CTCLoss", "Cell", "CellDict", "CellList",
    "CentralCrop", "ChannelShuffle", "ClipByNorm", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dBnAct", "Conv2dThor",
    "Conv2dTranspose", "Conv3d", "Conv3dTranspose", "CosineDecayLR", "CosineEmbeddingLoss",
    "CrossEntropyLoss", "Dense", "DenseBnAct", "DenseThor", "DiGamma", "DiceLoss",
    "DistributedGradReducer", "Dropout", "Dropout1d", "Dropout2d", "Dropout2dExt", "Dropout3d",
    "DropoutExt", "DynamicLossScaleUpdateCell", "Embedding", "EmbeddingExt", "EmbeddingLookup",
    "EmbeddingLookupThor", "EmbeddingThor", "ExponentialDecayLR", "FastGelu",
    "FixedLossScaleUpdateCell", "Flatten", "FocalLoss", "ForwardValueAndGrad",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "GRUCell", "GaussianNLLLoss",
    "GradAccumulationCell", "GraphCell", "GroupNorm", "HShrink", "HSigmoid", "HSwish", "Hardtanh",
    "HingeEmbeddingLoss", "HuberLoss", "IGamma", "Identity", "ImageGradients", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "InverseDecayLR", "Jvp", "KLDivLoss", "L1Loss", "L1LossExt",
    "L1Regularizer", "LBeta", "LGamma", "LPPool1d", "LPPool2d", "LSTMCell", "LayerNorm",
    "LayerNormExt", "LeakyReLU", "LogSigmoid", "LogSoftmax", "LogSoftmaxExt", "LossBase", "MAELoss",
    "MSELoss", "MarginRankingLoss", "MatDet", "MatInverse", "MatMul", "MatrixDiag",
    "MatrixDiagPart", "MatrixSetDiag", "MaxPool1d", "MaxPool2d", "MaxPool2dExt", "MaxPool3d",
    "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "MicroBatchInterleaved", "Mish", "Moments",
    "MultiClassDiceLoss", "MultiFieldEmbeddingLookup", "MultiLabelSoftMarginLoss",
    "MultiMarginLoss", "MultiheadAttention", "MultilabelMarginLoss", "NLLLoss", "NaturalExpDecayLR",
    "Norm", "OneHot", "PReLU", "PReLUExt", "Pad", "ParameterUpdate", "PipelineCell",
    "PipelineGradReducer", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "PolynomialDecayLR",
    "RMSELoss", "RNNCell", "RReLU", "Range", "ReLU", "ReLU6", "ReduceLogSumExp", "ReflectionPad1d",
    "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ResizeBilinear", "Roll", "SampledSoftmaxLoss", "SeLU", "SequentialCell",
    "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "SoftShrink", "Softmax", "Softmax2d",
    "SoftmaxCrossEntropyWithLogits", "Softmin", "Softsign", "SparseTensorDenseMatmul",
    "SparseToDense", "SyncBatchNorm", "Tanh", "Tanhshrink", "Threshold", "TimeDistributed",
    "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "Transformer", "TransformerDecoder",
    "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer", "Tril",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Triu", "Unflatten", "Unfold", "Upsample",
    "VirtualDatasetCellTriple", "Vjp", "WarmUpLR", "WithEvalCell", "WithGradCell", "WithLossCell",
    "ZeroPad2d", "cosine_decay_lr", "exponential_decay_lr", "get_activation", "inverse_decay_lr",
    "natural_exp_decay_lr", "piecewise_constant_lr", "polynomial_decay_lr",
    "register_cell_buffer_registration_hook", "warmup_lr",
]  # fmt: skip

AvgPool1dExt, AvgPool3dExt = MINT["nn.AvgPool1d"], MINT["nn.AvgPool3d"]
L1LossExt, LogSoftmaxExt = MINT["nn.L1Loss"], MINT["nn.LogSoftmax"]
MaxPool2dExt = MINT["nn.MaxPool2d"]
hooks.calling_cells = calling_cells
hooks.cell_path = path_within
hooks.path_of_cell = path_of_cell


def __getattr__(name):
    # MindSpore has the optimizers here too; they are built on nn, so they are looked up lazily
    optim = importlib.import_module("sporax._src.optim")
    if name in optim.__all__:
        return getattr(optim, name)
    raise missing("nn", name)
