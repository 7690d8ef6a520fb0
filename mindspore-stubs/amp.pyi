"""`mindspore.amp`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *
from sporax.amp.scaler import DynamicLossScaler as DynamicLossScaler
from sporax.amp.scaler import LossScaler as LossScaler
from sporax.amp.scaler import StaticLossScaler as StaticLossScaler

