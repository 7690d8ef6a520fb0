"""Probability distributions, and bijectors between them, as Cells."""

from sporax.nn.probability import bijector, bnn_layers, distribution

__all__ = ["bijector", "bnn_layers", "distribution"]
