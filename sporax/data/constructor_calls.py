"""Constructor arguments of an object, recorded for `serialize` and `compare`."""

import inspect

from sporax._src.diagnosis.rules import rejection


class RecordsCall:
    """Base of classes whose instances record their constructor arguments."""

    _call: tuple = (), {}

    def __new__(cls, *args, **kwargs):
        if cls.__init__ is object.__init__ and (args or kwargs):
            raise rejection("no-arguments", cls.__name__, got=len(args) or kwargs)
        self = super().__new__(cls)
        self._call = args, kwargs
        return self


def parameters(cls):
    """Return {name: parameter} of a class's constructor."""
    if cls.__init__ is object.__init__:
        return {}
    return dict(list(inspect.signature(cls.__init__).parameters.items())[1:])


def arguments(built):
    """Return {parameter: argument} of an object's constructor call, with defaults."""
    args, kwargs = built._call
    bound = inspect.Signature(list(parameters(type(built)).values())).bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


__all__ = ["RecordsCall", "arguments", "parameters"]
