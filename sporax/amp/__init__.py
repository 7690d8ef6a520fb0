"""In what precision? Networks that compute in 16 bits, and the scaling of their losses."""

from sporax.amp.build import build_train_network
from sporax.amp.levels import (
    auto_mixed_precision,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from sporax.amp.scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from sporax.amp.scaler import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite
from sporax.core.errors import missing

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]


def __getattr__(name):
    raise missing("amp", name)
