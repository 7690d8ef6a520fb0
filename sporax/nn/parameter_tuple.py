"""`ParameterTuple`: the Parameters of a network, for optimizers and gradients."""

import re

from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor


def check_prefix(who, prefix, least=0):
    """Raise unless `prefix` is a valid parameter name prefix of at least `least` characters."""
    if not isinstance(prefix, str):
        raise TypeError(f"For '{who}', 'prefix' must be a string, but got {type(prefix).__name__}.")
    if len(prefix) < least or not re.fullmatch(r"[\w.\-]*", prefix, re.ASCII):
        raise ValueError(
            f"For '{who}', 'prefix' must be letters, digits, '_', '-' and '.', but got {prefix!r}."
        )


class ParameterTuple(tuple):
    """A tuple of Parameters.

    >>> ParameterTuple([Parameter(1.0, name="a")])[0].name
    'a'
    """

    __slots__ = ()

    def __new__(cls, iterable):
        if isinstance(iterable, (Tensor, dict, str)) or not hasattr(iterable, "__iter__"):
            raise TypeError(
                "For 'ParameterTuple', the argument must be a list or tuple of Parameters, but got "
                f"{type(iterable).__name__}. Put the Parameters into a list."
            )
        parameters, first = tuple(iterable), {}
        for i, p in enumerate(parameters):
            if not isinstance(p, Parameter):
                raise TypeError(
                    "For 'ParameterTuple', every item must be a Parameter, but got "
                    f"{type(p).__name__}."
                )
            at = first.setdefault(p.name, i)
            if parameters[at] is not p:
                raise ValueError(
                    f"For 'ParameterTuple', the names must differ, but two Parameters, numbers "
                    f"{at} and {i}, are called '{p.name}'. Give one another name."
                )
        return super().__new__(cls, parameters)

    def clone(self, prefix, init="same"):
        """Return a ParameterTuple of clones, named `prefix.name`."""
        check_prefix("ParameterTuple.clone", prefix, least=1)
        clones = []
        for p in self:
            clone = p.clone(init)
            clone.name = f"{prefix}.{p.name}"
            clones.append(clone)
        return ParameterTuple(clones)
