"""Distributions of integers."""

import math

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32, int32, to_numpy
from sporax._src.diagnosis.rules import require
from sporax.nn.probability.distribution.base import Distribution
from sporax.ops.random.draws import (
    bernoulli_from_key,
    categorical_from_key,
    inverse_cdf_from_key,
    poisson_from_key,
)


def _whole(x):
    """Return True where x is a non-negative integer."""
    return ops.logical_and(x >= 0, ops.floor(x) == x)


class Bernoulli(Distribution):
    """1 with probability `probs`, else 0.

    >>> nn.probability.distribution.Bernoulli(0.25).prob(Tensor([0, 1])).asnumpy()
    array([0.75, 0.25], dtype=float32)
    """

    RULES, INTEGERS = (("probs", "chance"),), True

    def __init__(self, probs=None, seed=None, dtype=int32, name="Bernoulli"):
        super().__init__(seed, dtype, name, {"probs": probs})

    def _mean(self, p):
        return p

    def _mode(self, p):
        return ops.cast(p > 0.5, self.dtype)

    def _var(self, p):
        return p * (1 - p)

    def _prob(self, x, p):
        return ops.where(x == 1, p, ops.where(x == 0, 1 - p, 0.0))

    def _cdf(self, x, p):
        return ops.where(x < 0, 0.0, ops.where(x < 1, 1 - p, 1.0))

    def _entropy(self, p):
        return -ops.xlogy(p, p) - ops.xlogy(1 - p, 1 - p)

    def _kl(self, p_b, p):
        return p * ops.log(p / p_b) + (1 - p) * ops.log((1 - p) / (1 - p_b))

    def _sample(self, key, shape, p):
        return bernoulli_from_key(key, p, shape, to_numpy(self.dtype))


class Geometric(Distribution):
    """Number of failures before the first success, with success probability `probs`.

    >>> nn.probability.distribution.Geometric(0.5).prob(Tensor([0, 1])).asnumpy()
    array([0.5 , 0.25], dtype=float32)
    """

    RULES, INTEGERS = (("probs", "chance"),), True

    def __init__(self, probs=None, seed=None, dtype=int32, name="Geometric"):
        super().__init__(seed, dtype, name, {"probs": probs})

    def _mean(self, p):
        return (1 - p) / p

    def _mode(self, p):
        return ops.cast(ops.zeros_like(p), self.dtype)

    def _var(self, p):
        return (1 - p) / ops.square(p)

    def _log_prob(self, x, p):
        return ops.where(_whole(x), x * ops.log1p(-p) + ops.log(p), -math.inf)

    def _survival_function(self, x, p):
        return ops.exp(ops.log1p(-p) * ops.clamp(ops.floor(x) + 1, 0))

    def _entropy(self, p):
        return -(ops.xlogy(1 - p, 1 - p) + ops.xlogy(p, p)) / p

    def _kl(self, p_b, p):
        return ops.log(p / p_b) + (1 - p) / p * ops.log((1 - p) / (1 - p_b))

    def _sample(self, key, shape, p):
        drawn = inverse_cdf_from_key(key, "exponential", shape, to_numpy(self.parameter_type))
        return ops.floor(-drawn / ops.log1p(-p))


class Poisson(Distribution):
    r"""$P(k) = e^{-rate} rate^k / k!$.

    >>> nn.probability.distribution.Poisson([1.0]).prob(Tensor([0.0])).asnumpy().round(4)
    array([0.3679], dtype=float32)
    """

    RULES, INTEGERS = (("rate", "positive"),), True

    def __init__(self, rate=None, seed=None, dtype=float32, name="Poisson"):
        super().__init__(seed, dtype, name, {"rate": rate})

    def _mean(self, rate):
        return rate

    _var = _mean

    def _mode(self, rate):
        return ops.floor(rate)

    def _log_prob(self, x, rate):
        return ops.where(_whole(x), ops.xlogy(x, rate) - rate - ops.lgamma(x + 1), -math.inf)

    def _cdf(self, x, rate):
        return ops.where(x < 0, 0.0, ops.igammac(ops.clamp(ops.floor(x), 0) + 1, rate))

    def _kl(self, rate_b, rate):
        return rate * ops.log(rate / rate_b) - rate + rate_b

    def _sample(self, key, shape, rate):
        return poisson_from_key(key, rate, shape, to_numpy(self.parameter_type))


class Categorical(Distribution):
    """One of the classes 0, 1, ..., with the probabilities on the last axis of `probs`.

    `mean`, `var` and `sd` keep that axis with size 1.

    >>> nn.probability.distribution.Categorical([0.25, 0.75]).prob(Tensor([0, 1])).asnumpy()
    array([0.25, 0.75], dtype=float32)
    """

    RULES, INTEGERS = (("probs", "share"),), True

    def __init__(self, probs=None, seed=None, dtype=int32, name="Categorical"):
        super().__init__(seed, dtype, name, {"probs": probs})
        if probs is not None:
            sums = self.default_parameters[0].sum(-1).asnumpy()
            require(np.allclose(sums, 1, atol=0.001), "sum-1", name, probs=probs)

    def _numbers(self, p):
        return ops.cast(ops.arange(p.shape[-1]), p.dtype)

    def _mean(self, p):
        return (p * self._numbers(p)).sum(-1, keepdims=True)

    def _mode(self, p):
        return ops.cast(ops.argmax(p, -1), self.dtype)

    def _var(self, p):
        apart = self._numbers(p) - self._mean(p)
        return (p * ops.square(apart)).sum(-1, keepdims=True)

    def _prob(self, x, p):
        return ops.where(x.expand_dims(-1) == self._numbers(p), p, 0.0).sum(-1)

    def _cdf(self, x, p):
        return ops.where(x.expand_dims(-1) >= self._numbers(p), p, 0.0).sum(-1)

    def _entropy(self, p):
        return -ops.xlogy(p, p).sum(-1)

    def _kl(self, p_b, p):
        return (ops.xlogy(p, p) - ops.xlogy(p, p_b)).sum(-1)

    def _batch(self, shape):
        return shape[:-1]

    def _sample(self, key, shape, p):
        batch = p.shape[:-1]
        first = shape[: len(shape) - len(batch)]
        drawn = categorical_from_key(key, p, math.prod(first), True)
        return ops.moveaxis(drawn, -1, 0).reshape(shape)
