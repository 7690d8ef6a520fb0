"""Several signatures under one name: a call uses the first that fits its arguments."""

import inspect

from sporax._src.core.dtype import Type
from sporax._src.core.from_host import plain
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection

# required type of an argument with that name, if several signatures compete for a call and it is
# not annotated as an int
_KINDS = {
    **dict.fromkeys(["keepdims", "keep_dims", "keepdim"], bool),
    **dict.fromkeys(["dtype"], Type | type | str | None),
    **dict.fromkeys(["axis", "dim", "dims"], int | tuple | list | None),
    **dict.fromkeys(["other", "index"], Tensor | int | float),
    **dict.fromkeys(["input_indices", "condition"], Tensor),
}


def overloaded(name, functions, alike=False):
    """Return a function with several signatures: a call uses the first that fits its arguments.

    `alike`: they differ only in the names of their parameters.
    """
    first = functions[0]
    if len(functions) == 1:
        return first
    signatures = [inspect.signature(f) for f in functions]
    chosen = {}

    def choose(args, kwargs):
        for function, signature in zip(functions, signatures, strict=True):
            try:
                arguments = signature.bind(*args, **kwargs).arguments
            except TypeError:
                continue
            if all(_fits(signature.parameters[n], value) for n, value in arguments.items()):
                return function
        own = name.startswith("Tensor.")
        known = [f"{name}({_listed(s, own)})" for s in signatures]
        got = [type(a).__name__ for a in args[own:]]
        got += [f"{n}={type(a).__name__}" for n, a in kwargs.items()]
        raise rejection("arguments-fit-one", name, call=", ".join(got), known=known)

    def method(*args, **kwargs):
        if alike and not kwargs:
            return first(*args)
        key = (*[a.__class__ for a in args], *kwargs)
        function = chosen.get(key)
        if function is None:
            function = chosen[key] = choose(args, kwargs)
        return function(*args, **kwargs)

    method.__name__ = method.__qualname__ = name.rpartition(".")[2]
    method.__doc__, method.__module__ = first.__doc__, first.__module__
    method.__signature__, method.overloads = signatures[0], functions
    return method


def _listed(signature, is_method):
    """Return the parameters of a signature as text, without `self` and annotations."""
    parameters = list(signature.parameters.values())[is_method:]
    parameters = [p.replace(annotation=p.empty) for p in parameters]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))[1:-1]


def _fits(parameter, value):
    kind, value = _KINDS.get(parameter.name, object), plain(value)
    kind = int if parameter.annotation is int else kind
    if isinstance(value, bool) and kind not in (bool, object):
        return False
    return isinstance(value, kind)
