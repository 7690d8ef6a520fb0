"""All calls that express a sample, as source: `ops.softmax(a, axis=0)`, `a.softmax(...)`,
`ops.Softmax(0)(a)`, `mint.nn.functional.softmax(a, dim=0)`.

The source names the sample's inputs `a`, `b`, ... and MindSpore's dtypes `ms.float32`, so that the
same text can be evaluated with MindSpore (`tools.record parity`).
"""

import inspect
import string

import numpy as np

import sporax
import sporax.mint
import sporax.numpy
import sporax.ops
from sporax._src.core import dtype as dtypes
from sporax.ops.declare import OPS

_BY_NAME = inspect.Parameter.KEYWORD_ONLY


class Named:
    """A placeholder for an input of a sample; its source is its name."""

    def __init__(self, name):
        self.name = name


def inputs(sample):
    return [Named(name) for name in string.ascii_lowercase[: len(sample.inputs)]]


def source(value):
    """Return the source of a value; raise KeyError if it has none."""
    if isinstance(value, Named):
        return value.name
    if isinstance(value, tuple):
        return "(" + "".join(f"{source(v)}, " for v in value).rstrip() + ")"
    if isinstance(value, list):
        return "[" + ", ".join(source(v) for v in value) + "]"
    if isinstance(value, dtypes.Type):
        return f"ms.{value.attribute}".replace("ms.bool", "ms.bool_")
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise KeyError(type(value).__name__)


def faces(declaration, kinds=("ops", "tensor", "primitive", "mint")):
    """Yield (kind, written face) of a declaration's faces, with its own signature written out."""
    for kind in kinds:
        written = declaration.faces[kind]
        for face in (written,) if isinstance(written, str | bool) else written or ():
            name = declaration.fn.__name__ if face is True else face
            if face is not False:
                yield kind, name if "(" in name else f"{name}{_own(declaration)}"


def _own(declaration):
    """Return the declaration's own signature in the notation of a face."""
    kinds = [p.replace(annotation=inspect.Parameter.empty) for p in _parameters(declaration)]
    kinds = [p if p.default is p.empty else p.replace(default=None) for p in kinds]
    return str(inspect.Signature(kinds))


def _parameters(declaration):
    return declaration.signature.parameters.values()


def bound(declaration, sample):
    """Return {canonical name: value} of a sample's call; raise KeyError if its names are another
    face's."""
    args = inputs(sample)
    named = dict(zip(sample.names or (), args, strict=bool(sample.names))) | sample.attrs
    signature, canonical = _called(declaration)
    if not set(named) <= set(canonical):
        raise KeyError(declaration.name)
    args = [] if sample.names else [tuple(args)] if sample.packed else args
    result = signature.bind(*args, **named).arguments
    return {canonical[name]: value for name, value in result.items()}


def _called(declaration):
    """Return the signature that samples are written for, and its {name: canonical name}."""
    for kind, written in faces(declaration):
        if kind == "ops" and written.partition("(")[0] == declaration.fn.__name__:
            parameters = declaration.parse(written)[1]
            names = {p.name: canonical for p, canonical in parameters}
            return inspect.Signature([p for p, _ in parameters]), names
    return declaration.signature, {name: name for name in declaration.signature.parameters}


def arguments(declaration, parameters, argument):
    """Return the values of a face's parameters; raise KeyError if the sample lacks a required
    one."""
    values = {}
    for parameter, canonical in parameters:
        own = declaration.signature.parameters.get(canonical)
        if canonical in argument:
            values[parameter.name] = argument[canonical]
        elif parameter.default is inspect.Parameter.empty:
            if own is None or own.default is inspect.Parameter.empty:
                raise KeyError(canonical)
            values[parameter.name] = own.default
        elif own is not None and parameter.default != own.default:
            values[parameter.name] = own.default
    return values


def listed(values, parameters, named=True):
    """Return the source of arguments: leading inputs by position, the others by name.

    `named=False`: all by position, as in calls of Primitives.
    """
    parts, leading, last = [], True, max([0, *_places(values, parameters)])
    for place, (parameter, _) in enumerate(parameters):
        name = parameter.name
        value = values.get(name, parameter.default)
        first = value[0] if isinstance(value, tuple) and value else value
        leading = leading and isinstance(first, Named) and parameter.kind is not _BY_NAME
        if name in values or (not named and place < last):
            parts.append(f"{name}={source(value)}" if named and not leading else source(value))
    return ", ".join(parts)


def _places(values, parameters):
    return [place for place, (parameter, _) in enumerate(parameters) if parameter.name in values]


def call(declaration, kind, written, sample):
    """Return the source of a call of this face; raise KeyError if it cannot express the sample."""
    argument = bound(declaration, sample)
    head, _, operands = written.partition(")(")
    more = ("dtype",) if kind == "numpy" else ()
    name, parameters = declaration.parse(f"{head})" if operands else written, more)
    called = declaration.parse(f"{name}({operands}")[1] if operands else []
    if not set(argument) <= {canonical for _, canonical in (*parameters, *called)}:
        raise KeyError(name)
    values = arguments(declaration, parameters, argument)
    if kind in ("ops", "numpy"):
        return f"{kind.replace('numpy', 'mnp')}.{name}({listed(values, parameters)})"
    if kind == "primitive":
        taken = arguments(declaration, called, argument)
        return f"ops.{name}({listed(values, parameters)})({listed(taken, called, named=False)})"
    if kind == "mint":
        return f"mint.{written.partition('(')[0]}({listed(values, parameters)})"
    itself = values.pop(parameters[0][0].name)
    return f"{source(itself)}.{name}({listed(values, parameters[1:])})"


def calls(sample, kinds=("ops", "tensor", "primitive", "mint")):
    """Return {source: kind} of all calls that are equivalent to the sample."""
    result = {}
    for kind, written in faces(OPS[sample.op], kinds):
        try:
            result[call(OPS[sample.op], kind, written, sample)] = kind
        except KeyError:
            continue
    return result


def evaluate(call, tensors):
    """Evaluate a call in sporax; `tensors`: in order, or by name."""
    named = isinstance(tensors, dict)
    names = tensors if named else dict(zip(string.ascii_lowercase, tensors, strict=False))
    modules = {"ms": sporax, "ops": sporax.ops, "mint": sporax.mint, "mnp": sporax.numpy}
    return eval(call, {**modules, **names})
