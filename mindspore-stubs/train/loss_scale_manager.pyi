"""`mindspore.train.loss_scale_manager`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *
from sporax.amp.loss_scale_manager import DynamicLossScaleManager as DynamicLossScaleManager
from sporax.amp.loss_scale_manager import FixedLossScaleManager as FixedLossScaleManager
from sporax.amp.loss_scale_manager import LossScaleManager as LossScaleManager

