"""`mindspore.amp`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.amp import *
from sporax._src.amp.loss_scaler import DynamicLossScaler as DynamicLossScaler
from sporax._src.amp.loss_scaler import LossScaler as LossScaler
from sporax._src.amp.loss_scaler import StaticLossScaler as StaticLossScaler
from sporax._src.mindspore.compat.private_functions import _grad_scale_map as _grad_scale_map
from sporax._src.mindspore.compat.private_functions import _grad_unscale_map as _grad_unscale_map

