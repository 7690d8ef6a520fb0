"""Mapping of a call's inputs to the parameters of a `bprop`: by name, or by MindSpore's positions.

The mapping depends only on the two signatures and the form of the call, so it is computed once,
with placeholders for the arguments, and compiled to a line of Python.
"""

import functools
import inspect
from types import MethodType

from sporax._src.diagnosis.rules import rejection

_VARIADIC = inspect.Parameter.VAR_POSITIONAL
_KEYWORDS = inspect.Parameter.VAR_KEYWORD
_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL_ONLY = inspect.Parameter.POSITIONAL_ONLY
LAST = ("out", "dout")


class Symbol:
    """Placeholder for an argument of a call; `code` is the expression that reads it."""

    def __init__(self, code):
        self.code = code


class Plan:
    """Maps calls of `construct` with `count` positional arguments and keywords `names` to `bprop`.

    `inputs(args, kwargs)`: (name, argument or default) of each input. `arguments(args, kwargs, out,
    dout)`: positional and keyword arguments for `bprop`. `direct`: the names of the inputs if they
    are exactly the positional arguments, else None.
    """

    def __init__(self, who, construct, bprop, count, names):
        args = [Symbol(f"args[{i}]") for i in range(count)]
        inputs = _inputs_of(construct, bprop, args, {n: Symbol(f"kwargs[{n!r}]") for n in names})
        is_direct = len(inputs) == count and all(
            item is argument for (_, item), argument in zip(inputs, args, strict=True)
        )
        self.direct = [name for name, _ in inputs] if is_direct else None
        self.who, self.names, self.taken = who, [name for name, _ in inputs], list(bprop.parameters)
        self.lacks = {*self.names, *LAST}.difference(self.taken)
        positional, named = _arguments(who, bprop, inputs, Symbol("out"), Symbol("dout"))
        constants = []  # defaults
        in_order = ", ".join(_code(item, constants) for item in positional)
        by_name = ", ".join(f"{name!r}: {_code(item, constants)}" for name, item in named.items())
        pairs = ", ".join(f"({name!r}, {_code(item, constants)})" for name, item in inputs)
        arguments, scope = f"[{in_order}], {{{by_name}}}", {"constants": constants}
        self.arguments = eval(f"lambda args, kwargs, out, dout: ({arguments})", scope)
        self.inputs = eval(f"lambda args, kwargs: [{pairs}]", scope)

    def explain(self, error):
        """Make a NameError of `bprop` say so if the name is an input that it does not take."""
        if error.name in self.lacks:
            error.args = (
                f"For '{self.who}', '{error.name}' is used, but is none of its parameters "
                f"({', '.join(self.taken)}). 'construct' takes ({', '.join(self.names)}): write "
                f"'def bprop(self, {', '.join([*self.names, *LAST])})'.",
            )


def _code(item, constants):
    """Return the expression for an argument; it looks up defaults in `constants`."""
    if isinstance(item, Symbol):
        return item.code
    if isinstance(item, tuple) and any(isinstance(element, Symbol) for element in item):
        return "(" + "".join(_code(element, constants) + ", " for element in item) + ")"
    if isinstance(item, dict) and any(isinstance(element, Symbol) for element in item.values()):
        return "{" + ", ".join(f"{k!r}: {_code(v, constants)}" for k, v in item.items()) + "}"
    constants.append(item)
    return f"constants[{len(constants) - 1}]"


def planned(cell, bprop, args, kwargs):
    """Return the cached `Plan` for the cell's functions and the count and names of arguments."""
    construct = cell.construct
    if construct.__class__ is MethodType is bprop.__class__:
        key = construct.__func__, bprop.__func__, len(args), *kwargs
    else:
        key = *_unbound(construct), *_unbound(bprop), len(args), *kwargs
    plan = _plans.get(key)
    if plan is None:
        signatures = signature_of(construct), signature_of(bprop)
        plan = Plan(f"{type(cell).__name__}.bprop", *signatures, len(args), tuple(kwargs))
        if len(_plans) >= _MOST:
            _plans.clear()
        _plans[key] = plan
    return plan


_plans, _MOST = {}, 1024


def _unbound(method):
    """Return (function, whether the method is the function with its first argument bound)."""
    if method.__class__ is MethodType:
        return method.__func__, True
    if method.__class__ is functools.partial and len(method.args) == 1 and not method.keywords:
        return method.func, True  # a captured method
    return method, False


def signature_of(method):
    """Return the signature of a call; for a bound method, without its first parameter."""
    function, is_bound = _unbound(method)
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[is_bound:]
    return signature.replace(parameters=parameters) if is_bound else signature


def _inputs_of(construct, bprop, args, kwargs):
    """Return (name, argument or default) of each input of a call of `construct`.

    Items of `*args` and `**kwargs` are separate inputs; if `bprop` has a parameter of the same
    name they are one input.
    """
    bound = construct.bind(*args, **kwargs)
    bound.apply_defaults()
    whole = {p.name for p in bprop.parameters.values() if p.kind not in _STARS}
    inputs = []
    for name, parameter in construct.parameters.items():
        argument = bound.arguments[name]
        if parameter.kind is _VARIADIC and name not in whole:
            inputs.extend((f"{name}[{i}]", item) for i, item in enumerate(argument))
        elif parameter.kind is _KEYWORDS and name not in whole:
            inputs.extend(argument.items())
        else:
            inputs.append((name, argument))
    return inputs


_STARS = (_VARIADIC, _KEYWORDS)


def _arguments(who, bprop, inputs, out, dout):
    """Return positional and keyword arguments for the call of `bprop`.

    Parameters are bound by the names of the inputs, `out` and `dout`. If a name is none of these,
    the remaining parameters take the remaining arguments in order: the inputs, `out`, `dout`.
    """
    parameters = list(bprop.parameters.values())
    pool = [*inputs, *zip(LAST, (out, dout), strict=True)]
    by_name = dict(pool)
    placed = [p for p in parameters if p.kind not in (*_STARS, _KEYWORD_ONLY)]
    named = {
        p.name: by_name[p.name] for p in parameters if p.kind is _KEYWORD_ONLY and p.name in by_name
    }
    remaining = [(name, argument) for name, argument in pool if name not in named]
    variadic = any(p.kind is _VARIADIC for p in parameters)
    strangers = [p for p in placed if p.name not in by_name and p.default is p.empty]
    if not (variadic or strangers or len(by_name) < len(pool)):
        return _by_name(parameters, placed, by_name, named)
    if not variadic:  # `out` and `dout` by name at any position, the others in order
        ends = {p.name for p in placed if p.name in LAST} if len(by_name) == len(pool) else set()
        around = [pair for pair in remaining if pair[0] not in ends]
        if len(around) + len(ends) != len(placed):
            raise _refusal(who, placed, pool)
        left = iter(around)
        remaining = [(p.name, by_name[p.name]) if p.name in ends else next(left) for p in placed]
    for p, (name, _) in zip(placed, remaining, strict=False):
        if p.name in by_name and p.name != name:
            raise _refusal(who, placed, pool)
    if len(placed) > len(remaining):
        raise _refusal(who, placed, pool)
    return [argument for _, argument in remaining], named


def _by_name(parameters, placed, by_name, named):
    positional = [by_name[p.name] for p in placed if p.kind is _POSITIONAL_ONLY]
    for p in placed:
        if p.kind is not _POSITIONAL_ONLY and p.name in by_name:
            named[p.name] = by_name[p.name]
    if any(p.kind is _KEYWORDS for p in parameters):
        named = {**by_name, **named}
    return positional, named


def _refusal(who, placed, pool):
    names, got = [name for name, _ in pool], [p.name for p in placed]
    return rejection("parameters-these-names-any", who, names=names, got=got)
