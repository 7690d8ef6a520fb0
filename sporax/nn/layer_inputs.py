"""Checks of a layer's inputs."""

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require

TENSOR = kinds.instance(Tensor, "a-tensor")
OPTIONAL_TENSOR = kinds.optional(TENSOR)


def check_inputs(who, *inputs):
    """Raise TypeError if an input has no shape (a list, a scalar, None)."""
    for x in inputs:
        if not hasattr(x, "shape"):
            raise rejection("input-tensor", who, got=x)


def require_last(who, x, **size):
    """Raise ValueError unless the last axis of an input has the size of the layer's argument."""
    ((name, n),) = size.items()
    require(x.shape[-1:] == (n,), "last-axis", who, size=n, name=name, shape=x.shape)


def require_multiples(who, **sizes):
    """Raise ValueError unless the other sizes are multiples of the first."""
    (other, n), *others = sizes.items()
    for name, size in others:
        require(not size % n, "multiple", who, argument=name, other=other, got=size, value=n)
