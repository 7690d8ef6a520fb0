"""`mindspore.amp`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *
from sporax.amp.loss_scaler import DynamicLossScaler as DynamicLossScaler
from sporax.amp.loss_scaler import LossScaler as LossScaler
from sporax.amp.loss_scaler import StaticLossScaler as StaticLossScaler
from sporax.compat.private_functions import _grad_scale_map as _grad_scale_map
from sporax.compat.private_functions import _grad_unscale_map as _grad_unscale_map

