"""What is computed? One file a family; each operation is declared exactly once."""

import importlib
import pkgutil

from sporax.core.errors import missing
from sporax.ops.collective import ReduceOp
from sporax.ops.custom import Custom, CustomRegOp, DataType, custom_info_register
from sporax.ops.declare import FUNCTIONS, PRIMITIVES
from sporax.ops.primitive import (
    Primitive,
    PrimitiveWithCheck,
    PrimitiveWithInfer,
    _get_cache_prim,
    prim_attr_register,
)

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

globals().update(FUNCTIONS)
globals().update(PRIMITIVES)

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
    "prim_attr_register",
    *FUNCTIONS,
    *PRIMITIVES,
]


def __getattr__(name):
    raise missing("ops", name)
