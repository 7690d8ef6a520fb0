"""Names of MindSpore's generated modules: `x_impl` and `x_op` are the function `x`, `XPrim_` is the
class `X`, and `AddExt`, which no class of `ops` is, a Primitive that calls `add_ext`."""

import functools
import inspect
import re

from sporax import mint, ops
from sporax._src.core.errors import missing
from sporax._src.mindspore.compat import gradient_primitives, module_names
from sporax.mint import ext_names
from sporax.ops.declare import PRIMITIVES
from sporax.ops.primitive import Primitive

_MODULES = "mindspore.ops.auto_generate.gen_ops"
_BETWEEN_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
op_labels = {}  # side-effect labels for MindSpore's runtime; XLA programs need none


def _defaults(primitive):
    """Return the defaults of the parameters of a Primitive's constructor and call."""
    signatures = [inspect.signature(f) for f in (primitive.__init__, primitive.__call__)]
    parameters = [p for s in signatures for p in s.parameters.values()]
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def __getattr__(name):
    if name == "op_args_default_value":
        by_name = {n: _defaults(kind) for n, kind in PRIMITIVES.items()}
        return {n: defaults for n, defaults in by_name.items() if defaults}
    plain = name.removesuffix("_impl").removesuffix("_op")
    if plain != name:
        return _function(plain) or _missing(name)
    primitive = getattr(ops, name.removesuffix("Prim_"), None)
    return primitive or (name[0].isupper() and _primitive(name)) or _missing(name)


def contiguous(input):
    """`Tensor.contiguous` as a function."""
    return input.contiguous()


def _missing(name):
    raise missing("ops.auto_generate", name)


def _function(name):
    """Return the function of this name, of `ops` or `mint`, or the gradient Primitive, or None."""
    for room in (ops, mint, ext_names):
        try:
            return getattr(room, name)
        except AttributeError:
            continue
    primitive = _gradient_primitives().get(name.replace("_", ""))
    return primitive() if primitive else None


@functools.cache
def _gradient_primitives():
    """Return the classes of gradient Primitives without attributes by name in lower case:
    `tanh_grad_op` is MindSpore's name of `TanhGrad()`."""
    kinds = [getattr(gradient_primitives, name) for name in gradient_primitives.__all__]
    return {kind.__name__.lower(): kind for kind in kinds if not _attributes(kind)}


def _attributes(primitive):
    return list(inspect.signature(primitive).parameters)


@functools.cache
def _primitive(name):
    """Return the Primitive that calls the function of its name in lower case, whose arguments it
    takes by position; None without it."""
    if module_names.names(f"{_MODULES}_prim").get(name, ("",))[0] != "primitive":
        return None  # its constructor takes arguments that the function takes elsewhere
    functions = module_names.names(f"{_MODULES}_def")
    named = [n for n in functions if n.replace("_", "") == name.lower()]
    function = _function(named[0] if named else _BETWEEN_WORDS.sub("_", name).lower())
    if function is None:
        return None
    parameters = inspect.signature(function).parameters.values()
    by_keyword = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)

    def __init__(self):
        Primitive.__init__(self, name)

    @functools.wraps(function)
    def __call__(self, *args, **kwargs):
        further = zip(by_keyword, args[count:], strict=False)
        return function(*args[:count], **dict(further), **kwargs)

    made = {"__init__": __init__, "__call__": __call__, "__module__": __name__}
    return type(name, (Primitive,), made)
