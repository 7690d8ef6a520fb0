"""`ParameterTuple`: the Parameters of a network, for optimizers and gradients."""

import re
from typing import Any

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require


def check_prefix(who, prefix, least=0):
    """Raise unless `prefix` is a valid parameter name prefix of at least `least` characters."""
    kinds.STR(who, prefix=prefix)
    fits = len(prefix) >= least and re.fullmatch("[\\w.\\-]*", prefix, re.ASCII)
    require(fits, "letters-digits", who, prefix=prefix)


class ParameterTuple(tuple):
    """A tuple of Parameters.

    >>> ParameterTuple([Parameter(1.0, name="a")])[0].name
    'a'
    """

    __slots__ = ()

    def __new__(cls, iterable):
        who, is_text = "ParameterTuple", isinstance(iterable, (Tensor, dict, str))
        fits = not is_text and hasattr(iterable, "__iter__")
        require(fits, "argument-list-tuple-parameters", who, got=iterable)
        parameters, first = tuple(iterable), {}
        for i, p in enumerate(parameters):
            if not isinstance(p, Parameter):
                raise rejection("every-item-parameter", who, got=p)
            earlier = first.setdefault(p.name, i)
            is_same = parameters[earlier] is p
            require(is_same, "names-differ-two-parameters", who, value=earlier, i=i, name=p.name)
        return super().__new__(cls, parameters)

    def clone(self, prefix, init: Any = "same"):
        """Return a ParameterTuple of clones, named `prefix.name`."""
        check_prefix("ParameterTuple.clone", prefix, least=1)
        clones = []
        for p in self:
            clone = p.clone(init)
            clone.name = f"{prefix}.{p.name}"
            clones.append(clone)
        return ParameterTuple(clones)
