"""Initial values of layers' Parameters."""

import math
from typing import Any

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection
from sporax._src.initializers import HeUniform, Uniform, initializer
from sporax._src.initializers.base import fans


def default_weight(init):
    """Return the weight initializer; default: uniform in +-1 / sqrt(fan_in)."""
    slope: Any = math.sqrt(5)
    return HeUniform(slope) if init is None else init


def default_bias(init, weight_shape):
    """Return the bias initializer; default: uniform in +-1 / sqrt(fan_in)."""
    return Uniform(1 / math.sqrt(fans(weight_shape)[0])) if init is None else init


def parameter(layer, attribute, init, shape, dtype, name=None, requires_grad=True):
    """Return a Parameter drawn from an initializer, or holding a Tensor of exactly that shape."""
    shape = tuple(shape)
    if isinstance(init, Tensor) and init.shape != shape:
        raise rejection("initial-shape", layer, attribute=attribute, shape=shape, got=init.shape)
    return Parameter(initializer(init, shape, dtype), name=name, requires_grad=requires_grad)
