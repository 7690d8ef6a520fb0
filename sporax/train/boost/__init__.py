"""Training acceleration: frozen layers, fewer norms, subspace training, grouped loss scales."""

from sporax.train.boost.adasum import AdaSum
from sporax.train.boost.auto_boost import AutoBoost
from sporax.train.boost.dim_reduce import DimReduce
from sporax.train.boost.freezing import FreezeOpt, GradientFreeze, freeze_cell
from sporax.train.boost.group_loss_scale import GroupLossScaleManager
from sporax.train.boost.less_norm import LessBN
from sporax.train.boost.parameter_groups import OptimizerProcess, ParameterProcess
from sporax.train.boost.training_steps import (
    BoostTrainOneStepCell,
    BoostTrainOneStepWithLossScaleCell,
)
from sporax.train.gradient_accumulation import GradientAccumulation

__all__ = [
    "AdaSum", "AutoBoost", "BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell",
    "DimReduce", "FreezeOpt", "GradientAccumulation", "GradientFreeze", "GroupLossScaleManager",
    "LessBN", "OptimizerProcess", "ParameterProcess", "freeze_cell",
]  # fmt: skip
