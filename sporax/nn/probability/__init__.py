"""How are random quantities distributed? Distributions as Cells."""

from sporax.nn.probability import distribution

__all__ = ["distribution"]
