"""Probability distributions as Cells."""

from sporax.nn.probability import distribution

__all__ = ["distribution"]
