"""Probability distributions, and bijectors between them, as Cells."""

from sporax.nn.probability import bijector, distribution

__all__ = ["bijector", "distribution"]
