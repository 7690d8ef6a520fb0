"""Optimizers: Cells that are called with gradients."""

from sporax._src.optim.ada_factor import AdaFactor
from sporax._src.optim.adadelta import Adadelta
from sporax._src.optim.adagrad import Adagrad
from sporax._src.optim.adam import Adam, AdamOffload, AdamWeightDecay, LazyAdam
from sporax._src.optim.adamax import AdaMax
from sporax._src.optim.asgd import ASGD
from sporax._src.optim.lamb_lars import LARS, Lamb
from sporax._src.optim.momentum import Momentum
from sporax._src.optim.optimizer import Optimizer
from sporax._src.optim.optimizer import opt_init_args_register as opt_init_args_register
from sporax._src.optim.proximal import FTRL, ProximalAdagrad
from sporax._src.optim.rmsprop import RMSProp
from sporax._src.optim.rprop import Rprop
from sporax._src.optim.sgd import SGD
from sporax._src.optim.thor import thor
from sporax._src.optim.wrappers import (
    AdaSumByDeltaWeightWrapCell,
    AdaSumByGradWrapCell,
    OptTFTWrapper,
)

__all__ = [
    "ASGD", "FTRL", "LARS", "SGD", "AdaFactor", "AdaMax", "AdaSumByDeltaWeightWrapCell",
    "AdaSumByGradWrapCell", "Adadelta", "Adagrad", "Adam", "AdamOffload", "AdamWeightDecay", "Lamb",
    "LazyAdam", "Momentum", "OptTFTWrapper", "Optimizer", "ProximalAdagrad", "RMSProp", "Rprop",
    "thor",
]  # fmt: skip
