"""What `inspect.signature` tells of a name; `tools/record_parameters.py` asks MindSpore too."""

import inspect

_MARKS = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
ANYTHING = ["*args", "**kwargs"]  # which tells nothing


def told(found, called_through):
    """{suffix: parameters} of an object: '' for itself, '()' for the call of what a class makes.

    `called_through`: {base class: the method that its instances are called through}.
    """
    if not inspect.isclass(found):
        return {"": _parameters(found, 0)}
    asked = {"": _parameters(found.__init__, 1)}
    for base, method in called_through.items():
        if issubclass(found, base):
            asked["()"] = _parameters(getattr(found, method), 1)
    return asked


def _parameters(function, skip):
    """The names of the parameters in order, `*` and `**` marked; None if `inspect` knows none."""
    try:
        found = list(inspect.signature(function).parameters.values())[skip:]
    except (TypeError, ValueError):
        return None
    return [_MARKS.get(p.kind, "") + p.name for p in found]
