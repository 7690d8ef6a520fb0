"""Write sporax/ops/__init__.pyi: the operations' names and parameters, for editors and checkers.

    python tools/write_stubs.py

Functions and classes come from the declarations, at run time; a file of their names cannot be read.
"""

import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
from sporax import ops  # noqa: E402
from sporax.ops.declare import FUNCTIONS, PRIMITIVES  # noqa: E402

STUB = ROOT / "sporax" / "ops" / "__init__.pyi"
HEAD = '''\
"""What is computed? The operations, by name; written by tools/write_stubs.py."""

from typing import Any

'''


def stub():
    """The file, as it should be now."""
    others = [name for name in ops.__all__ if name not in FUNCTIONS and name not in PRIMITIVES]
    homes = sorted((getattr(ops, name).__module__, name) for name in others)
    imports = [f"from {home} import {name} as {name}" for home, name in homes]
    functions = [_function(name, FUNCTIONS[name]) for name in sorted(FUNCTIONS)]
    classes = [line for name in sorted(PRIMITIVES) for line in _class(name, PRIMITIVES[name])]
    return HEAD + "\n".join([*imports, "", *functions, "", *classes]) + "\n"


def _function(name, function, result="Any"):
    return f"def {name}({_parameters(function)}) -> {result}: ..."


def _class(name, made):
    yield f"class {name}(Primitive):"
    yield f"    {_function('__init__', made.__init__, 'None')}"
    yield f"    {_function('__call__', made.__call__)}"


def _parameters(function):
    """As they stand in a `def`, without what defaults are."""
    shown = [
        p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else _Ellipsis())
        for p in inspect.signature(function).parameters.values()
    ]
    return str(inspect.Signature(shown))[1:-1]


class _Ellipsis:
    def __repr__(self):
        return "..."


if __name__ == "__main__":
    STUB.write_text(stub(), "utf8")
