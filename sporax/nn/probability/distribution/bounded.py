"""Continuous distributions on an interval or a half-line."""

import math

from sporax import ops
from sporax._src.core.dtype import float32, to_numpy
from sporax._src.diagnosis.rules import require
from sporax.nn.probability.distribution.base import Distribution
from sporax.ops.random.draws import (
    gamma_from_key,
    inverse_cdf_from_key,
    normal_from_key,
    split_key,
    uniform_from_key,
)


class Uniform(Distribution):
    """Density $1 / (high - low)$ between `low` and `high`.

    >>> nn.probability.distribution.Uniform(1.0, 3.0).prob(Tensor([0.0, 2.0])).asnumpy()
    array([0. , 0.5], dtype=float32)
    """

    RULES = (("low", "any"), ("high", "any"))

    def __init__(self, low=None, high=None, seed=None, dtype=float32, name="Uniform"):
        super().__init__(seed, dtype, name, {"low": low, "high": high})
        defaults = self.default_parameters
        fits = None in [low, high] or bool((defaults[0] < defaults[1]).all())
        require(fits, "less-than", name, low=low, other="high", high=high)

    def _mean(self, low, high):
        return (low + high) / 2

    def _var(self, low, high):
        return ops.square(high - low) / 12

    def _prob(self, x, low, high):
        return ops.where(ops.logical_and(low <= x, x <= high), 1 / (high - low), 0.0)

    def _cdf(self, x, low, high):
        return ops.clamp((x - low) / (high - low), 0, 1)

    def _entropy(self, low, high):
        return ops.log(high - low)

    def _kl(self, low_b, high_b, low, high):
        inside = ops.logical_and(low_b <= low, high <= high_b)
        return ops.where(inside, ops.log((high_b - low_b) / (high - low)), math.inf)

    def _sample(self, key, shape, low, high):
        return uniform_from_key(key, shape, to_numpy(self.parameter_type)) * (high - low) + low


class HalfNormal(Distribution):
    r"""$mean + sd \cdot |z|$ with z standard normal.

    >>> nn.probability.distribution.HalfNormal(0.0, 1.0).cdf(Tensor([0.0])).asnumpy()
    array([0.], dtype=float32)
    """

    RULES = (("mean", "any"), ("sd", "positive"))

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="HalfNormal"):
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd})

    def _mean(self, mean, sd):
        return mean + sd * math.sqrt(2 / math.pi)

    def _mode(self, mean, sd):
        return ops.broadcast_to(mean, self._batch(mean.shape, sd.shape))

    def _sd(self, mean, sd):
        return math.sqrt(1 - 2 / math.pi) * self._mode(sd, mean)

    def _log_prob(self, x, mean, sd):
        z = (x - mean) / sd
        density = -0.5 * ops.square(z) - ops.log(sd) + 0.5 * math.log(2 / math.pi)
        return ops.where(z < 0, -math.inf, density)

    def _cdf(self, x, mean, sd):
        return ops.erf(ops.clamp((x - mean) / (sd * math.sqrt(2)), 0))

    def _survival_function(self, x, mean, sd):
        return ops.erfc(ops.clamp((x - mean) / (sd * math.sqrt(2)), 0))

    def _entropy(self, mean, sd):
        return ops.log(self._mode(sd, mean)) + 0.5 * (math.log(math.pi / 2) + 1)

    def _sample(self, key, shape, mean, sd):
        return ops.abs(normal_from_key(key, shape, to_numpy(self.parameter_type))) * sd + mean


class Exponential(Distribution):
    r"""Density $rate \cdot e^{-rate \cdot x}$ for x at least 0.

    >>> nn.probability.distribution.Exponential(0.5).prob(Tensor([-1.0, 0.0])).asnumpy()
    array([0. , 0.5], dtype=float32)
    """

    RULES = (("rate", "positive"),)

    def __init__(self, rate=None, seed=None, dtype=float32, name="Exponential"):
        super().__init__(seed, dtype, name, {"rate": rate})

    def _mean(self, rate):
        return 1 / rate

    _sd = _mean

    def _mode(self, rate):
        return ops.zeros_like(rate)

    def _log_prob(self, x, rate):
        return ops.where(x < 0, -math.inf, ops.log(rate) - rate * x)

    def _cdf(self, x, rate):
        return -ops.expm1(-rate * ops.clamp(x, 0))

    def _log_survival(self, x, rate):
        return -rate * ops.clamp(x, 0)

    def _survival_function(self, x, rate):
        return ops.exp(self._log_survival(x, rate))

    def _entropy(self, rate):
        return 1 - ops.log(rate)

    def _kl(self, rate_b, rate):
        return ops.log(rate / rate_b) + rate_b / rate - 1

    def _sample(self, key, shape, rate):
        return inverse_cdf_from_key(key, "exponential", shape, to_numpy(self.parameter_type)) / rate


class Gamma(Distribution):
    r"""Density $b^a x^{a - 1} e^{-b x} / \Gamma(a)$ with a = `concentration` and b = `rate`.

    >>> nn.probability.distribution.Gamma([1.0], [2.0]).prob(Tensor([0.5])).asnumpy().round(4)
    array([0.7358], dtype=float32)
    """

    RULES = (("concentration", "positive"), ("rate", "positive"))

    def __init__(self, concentration=None, rate=None, seed=None, dtype=float32, name="Gamma"):
        super().__init__(seed, dtype, name, {"concentration": concentration, "rate": rate})

    def _mean(self, a, b):
        return a / b

    def _mode(self, a, b):
        return ops.where(a > 1, (a - 1) / b, math.nan)

    def _sd(self, a, b):
        return ops.sqrt(a) / b

    def _log_prob(self, x, a, b):
        return ops.xlogy(a, b) + ops.xlogy(a - 1, x) - b * x - ops.lgamma(a)

    def _cdf(self, x, a, b):
        return ops.igamma(a, b * x)

    def _survival_function(self, x, a, b):
        return ops.igammac(a, b * x)

    def _entropy(self, a, b):
        return a - ops.log(b) + ops.lgamma(a) + (1 - a) * ops.digamma(a)

    def _kl(self, a_b, b_b, a, b):
        shapes = (a - a_b) * ops.digamma(a) - ops.lgamma(a) + ops.lgamma(a_b)
        return shapes + a_b * ops.log(b / b_b) + a * (b_b / b - 1)

    def _sample(self, key, shape, a, b):
        return gamma_from_key(key, a, shape, to_numpy(self.parameter_type)) / b


def _log_beta(a, b):
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


class Beta(Distribution):
    r"""Density $x^{a - 1} (1 - x)^{b - 1} / B(a, b)$ on (0, 1): concentration1 a, concentration0 b.

    >>> nn.probability.distribution.Beta([1.0], [2.0]).prob(Tensor([0.25])).asnumpy().round(4)
    array([1.5], dtype=float32)
    """

    RULES = (("concentration1", "positive"), ("concentration0", "positive"))

    def __init__(
        self, concentration1=None, concentration0=None, seed=None, dtype=float32, name="Beta"
    ):
        concentrations = {"concentration1": concentration1, "concentration0": concentration0}
        super().__init__(seed, dtype, name, concentrations)

    def _mean(self, a, b):
        return a / (a + b)

    def _mode(self, a, b):
        peak = ops.logical_and(a > 1, b > 1)
        return ops.where(peak, (a - 1) / ops.where(peak, a + b - 2, 1.0), math.nan)

    def _var(self, a, b):
        return a * b / (ops.square(a + b) * (a + b + 1))

    def _log_prob(self, x, a, b):
        inside = ops.logical_and(x >= 0, x <= 1)
        y = ops.where(inside, x, 0.5)
        density = ops.xlogy(a - 1, y) + ops.xlogy(b - 1, 1 - y) - _log_beta(a, b)
        return ops.where(inside, density, -math.inf)

    def _entropy(self, a, b):
        slopes = (a - 1) * ops.digamma(a) + (b - 1) * ops.digamma(b)
        return _log_beta(a, b) - slopes + (a + b - 2) * ops.digamma(a + b)

    def _kl(self, a_b, b_b, a, b):
        slopes = (a - a_b) * ops.digamma(a) + (b - b_b) * ops.digamma(b)
        both = (a_b - a + b_b - b) * ops.digamma(a + b)
        return _log_beta(a_b, b_b) - _log_beta(a, b) + slopes + both

    def _sample(self, key, shape, a, b):
        kind = to_numpy(self.parameter_type)
        first, second = split_key(key)
        one, other = gamma_from_key(first, a, shape, kind), gamma_from_key(second, b, shape, kind)
        return one / (one + other)
