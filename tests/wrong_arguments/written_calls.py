"""Calls as written: `Written` is a proxy for a module that records the operations on it."""

import inspect
import operator


class Written:
    """An expression over a module: attributes, calls and items, evaluated later."""

    def __init__(self, do, *parts):
        self._do, self._parts = do, parts
        if do == "call":
            recorded.append(self)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Written("get", self, name)

    def __call__(self, *args, **kwargs):
        return Written("call", self, args, kwargs)

    def __getitem__(self, index):
        return Written("item", self, index)

    def __iter__(self):
        raise TypeError("what it contains is not known")


recorded = []  # the calls since it was emptied


def root(module):
    return Written("root", module)


def spine(written):
    """Return the steps of an expression from its module on: [(operation, arguments)]."""
    steps = []
    while written._do != "root":
        of, *parts = written._parts
        steps.append((written._do, parts))
        written = of
    return [("root", written._parts), *reversed(steps)]


def value_of(part):
    """Evaluate a part of an expression, with the modules for their proxies."""
    if isinstance(part, Written):
        return after(spine(part))
    if type(part) in (tuple, list):
        return type(part)(map(value_of, part))
    if type(part) is dict:
        return {key: value_of(item) for key, item in part.items()}
    return part


def after(steps, value=None, prepare=lambda step, args, kwargs: (args, kwargs)):
    """Apply the steps to `value`; `prepare`: changes the arguments of a call."""
    for at, (do, parts) in enumerate(steps):
        if do == "root":
            (value,) = parts
        elif do == "get":
            value = getattr(value, parts[0])
        elif do == "item":
            value = operator.getitem(value, value_of(parts[0]))
        else:
            args, kwargs = prepare(at, *map(value_of, parts))
            value = value(*args, **kwargs)
    return value


def calls(steps):
    """Return [(step index, name, function)] of the calls among the steps."""
    value, name, result = None, "", []
    for at, (do, parts) in enumerate(steps):
        if do == "get":
            name = parts[0]
        if do == "call":
            result.append((at, name, value))
        value = after([(do, parts)], value)
    return result


def bound(function, args, kwargs):
    """Bind the arguments of a call to its parameters; None if the parameters are unknown."""
    function = getattr(function, "construct", function)
    for overload in getattr(function, "overloads", [function]):
        try:
            return inspect.signature(overload).bind(*args, **kwargs)
        except (TypeError, ValueError):
            continue
    return None
