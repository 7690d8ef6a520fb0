"""The names of a function's inputs and of the Tensors in them, for messages."""

import inspect

from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import leaves_with_paths
from sporax._src.transforms.autodiff.bprop_signature import signature_of


def named_inputs(fn, inputs):
    """Return (parameter name, argument) for each input."""
    try:
        parameters = list(signature_of(getattr(fn, "construct", fn)).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    variadic = [p.name for p in parameters if p.kind is inspect.Parameter.VAR_POSITIONAL]
    first = len(names)
    more = range(first, len(inputs))
    names += [f"{variadic[0]}[{i - first}]" if variadic else f"input {i}" for i in more]
    return list(zip(names, inputs, strict=False))


def tensor_paths(inputs):
    """Return the path to each Tensor in (name, argument) pairs: `x`, `x[0]`, `x.field`."""
    return [
        path
        for name, argument in inputs
        for path, leaf in leaves_with_paths(argument, name)
        if isinstance(leaf, Tensor)
    ]
