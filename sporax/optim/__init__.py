"""Optimizers: Cells that are called with gradients."""

from sporax.optim.ada_factor import AdaFactor
from sporax.optim.adadelta import Adadelta
from sporax.optim.adagrad import Adagrad
from sporax.optim.adam import Adam, AdamOffload, AdamWeightDecay, LazyAdam
from sporax.optim.adamax import AdaMax
from sporax.optim.asgd import ASGD
from sporax.optim.lamb_lars import LARS, Lamb
from sporax.optim.momentum import Momentum
from sporax.optim.optimizer import Optimizer
from sporax.optim.optimizer import opt_init_args_register as opt_init_args_register
from sporax.optim.proximal import FTRL, ProximalAdagrad
from sporax.optim.rmsprop import RMSProp
from sporax.optim.rprop import Rprop
from sporax.optim.sgd import SGD
from sporax.optim.thor import thor
from sporax.optim.wrappers import (
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
