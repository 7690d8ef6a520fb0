"""Probability distributions: densities, moments, samples, divergences."""

from sporax.nn.probability.distribution.base import Distribution
from sporax.nn.probability.distribution.bounded import Beta, Exponential, Gamma, HalfNormal, Uniform
from sporax.nn.probability.distribution.discrete import Bernoulli, Categorical, Geometric, Poisson
from sporax.nn.probability.distribution.real import (
    Cauchy,
    Gumbel,
    Laplace,
    Logistic,
    LogNormal,
    Normal,
    StudentT,
)
from sporax.nn.probability.distribution.transformed import TransformedDistribution

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma",
    "Geometric", "Gumbel", "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "Poisson",
    "StudentT", "TransformedDistribution", "Uniform",
]  # fmt: skip
