"""What holds weights? Cells: the base class, containers, layers, losses and training steps."""

import importlib

from sporax.autodiff import anomaly
from sporax.core.errors import missing
from sporax.nn import mint_layers  # noqa: F401  (they are found in `mint.nn`)
from sporax.nn.activation import (
    CELU,
    ELU,
    GELU,
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
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Threshold,
    get_activation,
)
from sporax.nn.attention import MultiheadAttention
from sporax.nn.buffers import register_cell_buffer_registration_hook
from sporax.nn.cell import Cell
from sporax.nn.container import CellDict, CellList, SequentialCell
from sporax.nn.convolution import Conv1d, Conv2d, Conv3d
from sporax.nn.dense import Dense
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
from sporax.nn.embedding import Embedding
from sporax.nn.flatten import Flatten
from sporax.nn.grad import Jvp, Vjp
from sporax.nn.graph_cell import GraphCell
from sporax.nn.learning_rate_schedule import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
)
from sporax.nn.location import path_of_cell
from sporax.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from sporax.nn.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from sporax.nn.margin_loss import (
    CosineEmbeddingLoss,
    DiceLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    MAELoss,
    MarginRankingLoss,
    RMSELoss,
    SoftMarginLoss,
)
from sporax.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm
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
from sporax.nn.product import MatMul
from sporax.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from sporax.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from sporax.nn.transposed import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose
from sporax.nn.wrap import (
    ForwardValueAndGrad,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "MultiheadAttention",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "GRU",
    "MaxPool3d",
    "MaxPool1d",
    "AvgPool3d",
    "AvgPool1d",
    "AdaptiveMaxPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveAvgPool3d",
    "AdaptiveAvgPool1d",
    "LSTM",
    "RNN",
    "GRUCell",
    "LSTMCell",
    "RNNCell",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Cell",
    "CellDict",
    "CellList",
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dTranspose",
    "Conv3d",
    "Conv3dTranspose",
    "CosineDecayLR",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dense",
    "DiceLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout2dExt",
    "Dropout3d",
    "DropoutExt",
    "DynamicLossScaleUpdateCell",
    "Embedding",
    "ExponentialDecayLR",
    "FixedLossScaleUpdateCell",
    "Flatten",
    "ForwardValueAndGrad",
    "GaussianNLLLoss",
    "GraphCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InverseDecayLR",
    "Jvp",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MarginRankingLoss",
    "MatMul",
    "MaxPool2d",
    "Mish",
    "NLLLoss",
    "NaturalExpDecayLR",
    "PReLU",
    "PolynomialDecayLR",
    "RMSELoss",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "Softmin",
    "Softsign",
    "Tanh",
    "Threshold",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "Vjp",
    "WarmUpLR",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
    "cosine_decay_lr",
    "exponential_decay_lr",
    "get_activation",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "register_cell_buffer_registration_hook",
    "warmup_lr",
]

anomaly.PATHS["cells"] = path_of_cell


def __getattr__(name):
    # MindSpore has the optimizers here too; they stand on nn, so they are looked up when asked for
    optim = importlib.import_module("sporax.optim")
    if name in optim.__all__:
        return getattr(optim, name)
    raise missing("nn", name)
