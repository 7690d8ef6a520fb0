"""Optimizers with `param_groups` that may be changed between steps, and schedules that do so."""

from sporax.optim.experimental import lr_scheduler
from sporax.optim.experimental.descent import SGD, Adam, AdamW
from sporax.optim.experimental.optimizer import Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
