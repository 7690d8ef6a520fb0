"""Parameter names from `inspect.signature`; `tools.record parameters` records MindSpore's."""

import inspect

_MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
ANYTHING = ["*args", "**kwargs"]  # which names nothing


def parameters_of(result, called_through):
    """Return {suffix: parameters} of an object: '' for itself, '()' for calls of a class's
    instances.

    `called_through`: {base class: the method through which its instances are called}.
    """
    if not inspect.isclass(result):
        return {"": _parameters(result, 0)}
    signatures = {"": _parameters(result.__init__, 1)}
    for base, method in called_through.items():
        if issubclass(result, base):
            signatures["()"] = _parameters(getattr(result, method), 1)
    return signatures


def _parameters(function, skip):
    """Return the names of the parameters in order, `*` and `**` marked; None if `inspect` has
    none."""
    try:
        result = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    return [_MARKS.get(p.kind, "") + p.name for p in result]
