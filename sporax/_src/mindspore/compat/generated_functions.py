"""Names of MindSpore's generated modules: `x_impl` is the function `x`, `XPrim_` the class `X`."""

import inspect

from sporax import mint, ops
from sporax.ops.declare import PRIMITIVES

op_labels = {}  # side-effect labels for MindSpore's runtime; XLA programs need none


def _defaults(primitive):
    """Return the defaults of the parameters of a Primitive's constructor and call."""
    signatures = [inspect.signature(f) for f in (primitive.__init__, primitive.__call__)]
    parameters = [p for s in signatures for p in s.parameters.values()]
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def __getattr__(name):
    if name == "op_args_default_value":
        found = {n: _defaults(kind) for n, kind in PRIMITIVES.items()}
        return {n: defaults for n, defaults in found.items() if defaults}
    plain = name.removesuffix("_impl").removesuffix("_op")
    for room in (ops, mint):
        if plain != name and hasattr(room, plain):
            return getattr(room, plain)
    return getattr(ops, name.removesuffix("Prim_"))
