"""`ParameterTuple`: the Parameters of a network, for optimizers and gradients."""

import re

from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.diagnosis.rules import rejection, require


def check_prefix(who, prefix, least=0):
    """Raise unless `prefix` is a valid parameter name prefix of at least `least` characters."""
    require(isinstance(prefix, str), "str", who, prefix=prefix)
    require(
        len(prefix) >= least and re.fullmatch("[\\w.\\-]*", prefix, re.ASCII),
        "letters-digits",
        who,
        prefix=prefix,
    )


class ParameterTuple(tuple):
    """A tuple of Parameters.

    >>> ParameterTuple([Parameter(1.0, name="a")])[0].name
    'a'
    """

    __slots__ = ()

    def __new__(cls, iterable):
        require(
            not isinstance(iterable, (Tensor, dict, str)) and hasattr(iterable, "__iter__"),
            "argument-list-tuple-parameters",
            "ParameterTuple",
            got=iterable,
        )
        parameters, first = tuple(iterable), {}
        for i, p in enumerate(parameters):
            require(isinstance(p, Parameter), "every-item-parameter", "ParameterTuple", got=p)
            at = first.setdefault(p.name, i)
            if parameters[at] is not p:
                raise rejection(
                    "names-differ-two-parameters", "ParameterTuple", value=at, i=i, name=p.name
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
