"""Under which names PyTorch's users find the operations? `mint`: names looked up, no maths.

Names, also of submodules such as `mint.nn.functional`, come from the declarations in `sporax.ops`.
"""

import importlib
import sys
import types

from sporax.core.errors import missing
from sporax.ops.declare import MINT


class Namespace(types.ModuleType):
    """A module below `mint` whose names are the declared faces that start with its own."""

    def __init__(self, path):
        super().__init__(f"{__name__}.{path}", f"The operations that `mint` has in `{path}`.")
        self.__path__ = []  # which makes it a package, so that its own submodules can be imported

    def __getattr__(self, name):
        return _find(f"{self.__name__.removeprefix(__name__ + '.')}.{name}")

    def __dir__(self):
        return _names(self.__name__.removeprefix(__name__ + ".") + ".")


def _names(prefix):
    """The names, and the submodules' names, that begin with `prefix`."""
    return sorted({p.removeprefix(prefix).split(".")[0] for p in MINT if p.startswith(prefix)})


def _find(path):
    if path.rpartition(".")[2].startswith("__"):
        raise AttributeError(path)
    importlib.import_module("sporax.ops")  # where the faces are declared
    if path not in MINT and path.startswith("nn."):
        importlib.import_module("sporax.nn")  # where the layers are
    if path in MINT:
        return MINT[path]
    if _names(f"{path}."):
        return sys.modules.setdefault(f"{__name__}.{path}", Namespace(path))
    raise missing("mint", path)


def __getattr__(name):
    return _find(name)


def __dir__():
    return _names("")


for _path in ("nn", "nn.functional", "special", "linalg"):
    sys.modules[f"{__name__}.{_path}"] = Namespace(_path)
