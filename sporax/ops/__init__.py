"""Operations, one folder per subject; each is declared exactly once."""

import importlib
import pkgutil

from sporax._src.core.errors import missing
from sporax.ops import aliases
from sporax.ops.communication.groups import ReduceOp
from sporax.ops.custom import Custom, CustomRegOp, DataType, custom_info_register
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _get_cache_prim,
    prim_arg_register,
    prim_attr_register,
)

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)

aliases.declare()
globals().update(FUNCTIONS)
globals().update(PRIMITIVES)

# internal operations, without a MindSpore function of that name: for other modules, not for users
_OWN = """
    bitwise_not contraction div_no_nan global_norm l2_normalize lp_norm matmul_transposed power
    reduce_prod squared_difference"""

__all__ = [
    "Custom",
    "CustomRegOp",
    "DataType",
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "ReduceOp",
    "_get_cache_prim",
    "custom_info_register",
    "prim_arg_register",
    "prim_attr_register",
    *[name for name in FUNCTIONS if name not in _OWN.split()],
    *PRIMITIVES,
]


def __getattr__(name):
    raise missing("ops", name)
