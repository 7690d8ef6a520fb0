"""`mindspore.train.loss_scale_manager`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.amp import *
from sporax._src.amp.loss_scale_manager import DynamicLossScaleManager as DynamicLossScaleManager
from sporax._src.amp.loss_scale_manager import FixedLossScaleManager as FixedLossScaleManager
from sporax._src.amp.loss_scale_manager import LossScaleManager as LossScaleManager

