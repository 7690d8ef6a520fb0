"""Mixed precision: 16-bit networks, and loss scaling."""

from sporax._src.amp.build_network import build_train_network
from sporax._src.amp.loss_scale_manager import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from sporax._src.amp.loss_scaler import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite
from sporax._src.amp.mixed_precision import (
    auto_mixed_precision,
    custom_mixed_precision,
    get_black_list,
    get_white_list,
)
from sporax._src.core.errors import missing

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager",
    "LossScaler", "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network",
    "custom_mixed_precision", "get_black_list", "get_white_list",
]  # fmt: skip


def __getattr__(name):
    raise missing("amp", name)
