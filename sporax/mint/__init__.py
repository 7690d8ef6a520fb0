"""The operations under PyTorch's names: `mint` looks names up and computes nothing.

Names, also of submodules such as `mint.nn.functional`, come from the declarations in `sporax.ops`;
names in the `EXPORTED` submodules are also names of `mint` itself: `mint.conv2d`, `mint.ReLU`,
`mint.Adam`.
"""

import importlib
import sys
import types

from sporax._src.core.errors import missing
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import require
from sporax.ops.declare import MINT

# submodules whose names `mint` also exports; the first with a name wins
EXPORTED = ("nn.functional", "nn", "optim", "linalg", "special", "distributed")
# modules that declare the faces missing in `sporax.ops`: of layers and of optimizers
_HOMES = {"nn": "sporax.nn", "optim": "sporax._src.optim.mint_optimizers"}


class Namespace(types.ModuleType):
    """A module below `mint` that contains the declared faces whose path starts with its own."""

    def __init__(self, path):
        super().__init__(f"{__name__}.{path}", f"The operations that `mint` has in `{path}`.")
        self.__path__ = []  # marks a package, so that its own submodules can be imported

    def __getattr__(self, name):
        return _find(f"{self.__name__.removeprefix(__name__ + '.')}.{name}")

    def __dir__(self):
        return _names(self.__name__.removeprefix(__name__ + ".") + ".")


def _import_home(path):
    """Import the modules that may declare a face of that path."""
    importlib.import_module("sporax.ops")
    head, dot, _ = path.partition(".")
    if dot and head in _HOMES:
        importlib.import_module(_HOMES[head])


def _names(prefix):
    """Return the sorted names, including submodules, that begin with `prefix`."""
    _import_home(prefix)
    return sorted({p.removeprefix(prefix).split(".")[0] for p in MINT if p.startswith(prefix)})


def _find(path):
    if path.rpartition(".")[2].startswith("__"):
        raise AttributeError(path)
    for name in (path, *[f"{home}.{path}" for home in EXPORTED if "." not in path]):
        _import_home(name)
        if name in MINT:
            return MINT[name]
        if f"{__name__}.{name}" in sys.modules:
            return sys.modules[f"{__name__}.{name}"]
        if _names(f"{name}."):
            return sys.modules.setdefault(f"{__name__}.{name}", Namespace(name))
    raise missing("mint", path)


def exported():
    """Return {name: submodule of `mint`} for the names that `mint` takes from `EXPORTED`."""
    homes = {name: home for home in reversed(EXPORTED) for name in _names(f"{home}.")}
    return {n: home for n, home in homes.items() if n not in MINT and f"{home}.{n}" in MINT}


def item(input):
    """Return the single element of a Tensor, as a Python number.

    >>> mint.item(Tensor([2.5]))
    2.5
    """
    require(isinstance(input, Tensor), "must-be-type", "mint.item", input=input, kind="a-tensor")
    require(input.size == 1, "one-element", "mint.item", argument="input", shape=input.shape)
    return input.item()


def __getattr__(name):
    return _find(name)


def __dir__():
    return sorted({*_names(""), *exported(), "item"})


for _path in EXPORTED:
    sys.modules[f"{__name__}.{_path}"] = Namespace(_path)
