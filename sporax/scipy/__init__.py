"""Operations under SciPy's names: `linalg`, `optimize`, `fft` and `ops`."""

import importlib

from sporax._src.core.errors import missing

_MODULES = ("fft", "linalg", "ops", "optimize")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise missing("scipy", name)


def __dir__():
    return list(_MODULES)
