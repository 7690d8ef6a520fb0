"""`mindspore.numpy`: the operations under NumPy's names, resolved lazily.

Each name is a face of a declaration in `sporax.ops`, or, if `ops` has no such operation, in the
modules here. Faces are compiled at first use.
"""

import importlib
import pkgutil

from sporax._src.core.errors import missing

_DTYPES = "bool_ float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64"
_CONSTANTS = {
    "pi": 3.141592653589793, "inf": float("inf"), "PINF": float("inf"), "NINF": float("-inf"),
    "nan": float("nan"),
}  # fmt: skip
_NOT_STARRED = {*_CONSTANTS, "around", "copy", "matrix_power", "round", "uint"}  # as in MindSpore


def _registry():
    """Import all declarations; return {name: declared face}."""
    importlib.import_module("sporax.ops")
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return importlib.import_module("sporax.ops.declare").NUMPY


def _constants():
    dtypes = importlib.import_module("sporax._src.core.dtype")
    grids = importlib.import_module("sporax.numpy.grids")
    faces = importlib.import_module("sporax.numpy.faces")
    constants = dict(_CONSTANTS) | {name: getattr(dtypes, name) for name in _DTYPES.split()}
    constants |= {"int_": dtypes.int32, "uint": dtypes.uint32, "float_": dtypes.float32}
    return constants | {"mgrid": grids.mgrid, "ogrid": grids.ogrid, "_to_tensor": faces.as_tensors}


def __getattr__(name):
    if name == "__all__":
        return [n for n in __dir__() if n not in _NOT_STARRED]
    if not name.startswith("__"):
        declared, constants = _registry(), _constants()
        if name in declared:
            function = importlib.import_module("sporax.numpy.faces").face(*declared[name])
            return globals().setdefault(name, function)
        if name in constants:
            return globals().setdefault(name, constants[name])
    raise missing("numpy", name)


def __dir__():
    return sorted(n for n in {*_registry(), *_constants()} if not n.startswith("_"))
