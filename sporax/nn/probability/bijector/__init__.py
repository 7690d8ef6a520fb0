"""Bijectors: invertible functions with the log of their derivatives."""

from sporax.nn.probability.bijector.base import Bijector
from sporax.nn.probability.bijector.elementwise import (
    Exp,
    GumbelCDF,
    Invert,
    PowerTransform,
    ScalarAffine,
    Softplus,
)

__all__ = [
    "Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus",
]  # fmt: skip
