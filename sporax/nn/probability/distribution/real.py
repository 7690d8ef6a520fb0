"""Location-scale distributions on the real line, and LogNormal."""

import math

import numpy as np

from sporax import ops
from sporax._src.core.dtype import float32, to_numpy
from sporax._src.diagnosis.rules import rejection
from sporax.nn.probability.distribution.base import Distribution
from sporax.ops.random.draws import gamma_from_key, inverse_cdf_from_key, normal_from_key, split_key

EULER = float(np.euler_gamma)


class _LocationScale(Distribution):
    """$x = location + scale \\cdot z$: a subclass sets `LAW`, the name of the distribution of z.

    The first parameter is the location, also the mode; the second is the scale.
    """

    LAW = None

    def _mode(self, location, scale):
        return ops.broadcast_to(location, self._batch(location.shape, scale.shape))

    def _sample(self, key, shape, location, scale):
        drawn = inverse_cdf_from_key(key, self.LAW, shape, to_numpy(self.parameter_type))
        return drawn * scale + location


class Normal(_LocationScale):
    r"""Density $e^{-z^2 / 2} / (sd \sqrt{2 \pi})$ with $z = (x - mean) / sd$.

    >>> nn.probability.distribution.Normal(1.0, 2.0).cdf(Tensor([1.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    RULES = (("mean", "any"), ("sd", "positive"))

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="Normal"):
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd})

    def _mean(self, mean, sd):
        return self._mode(mean, sd)

    def _sd(self, mean, sd):
        return self._mode(sd, mean)

    def _log_prob(self, x, mean, sd):
        return -0.5 * ops.square((x - mean) / sd) - ops.log(sd) - 0.5 * math.log(2 * math.pi)

    def _cdf(self, x, mean, sd):
        return 0.5 * ops.erfc((mean - x) / (sd * math.sqrt(2)))

    def _survival_function(self, x, mean, sd):
        return 0.5 * ops.erfc((x - mean) / (sd * math.sqrt(2)))

    def _entropy(self, mean, sd):
        return ops.log(self._sd(mean, sd)) + 0.5 * math.log(2 * math.pi * math.e)

    def _kl(self, mean_b, sd_b, mean, sd):
        ratio = ops.log(sd / sd_b)
        return 0.5 * ops.square((mean - mean_b) / sd_b) + 0.5 * ops.expm1(2 * ratio) - ratio

    def _sample(self, key, shape, mean, sd):
        return normal_from_key(key, shape, to_numpy(self.parameter_type)) * sd + mean


class LogNormal(Normal):
    r"""$e^x$ for x normal with mean `loc` and standard deviation `scale`.

    >>> nn.probability.distribution.LogNormal(0.0, 1.0).cdf(Tensor([1.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    RULES = (("loc", "any"), ("scale", "positive"))

    def __init__(self, loc=None, scale=None, seed=0, dtype=float32, name="LogNormal"):
        Distribution.__init__(self, seed, dtype, name, {"loc": loc, "scale": scale})

    def _mean(self, loc, scale):
        return ops.exp(loc + 0.5 * ops.square(scale))

    def _mode(self, loc, scale):
        return ops.exp(loc - ops.square(scale))

    def _sd(self, loc, scale):
        return self._mean(loc, scale) * ops.sqrt(ops.expm1(ops.square(scale)))

    def _log_prob(self, x, loc, scale):
        log = ops.log(ops.where(x > 0, x, 1.0))
        return ops.where(x > 0, super()._log_prob(log, loc, scale) - log, -math.inf)

    def _cdf(self, x, loc, scale):
        return super()._cdf(ops.log(ops.clamp(x, 0)), loc, scale)

    def _survival_function(self, x, loc, scale):
        return super()._survival_function(ops.log(ops.clamp(x, 0)), loc, scale)

    def _entropy(self, loc, scale):
        return loc + ops.log(scale) + 0.5 * math.log(2 * math.pi * math.e)

    def _sample(self, key, shape, loc, scale):
        return ops.exp(super()._sample(key, shape, loc, scale))


class Laplace(_LocationScale):
    r"""Density $e^{-|x - mean| / sd} / (2 sd)$: `sd` is the scale, not the standard deviation.

    >>> nn.probability.distribution.Laplace(0.0, 1.0).prob(Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    RULES, LAW = (("mean", "any"), ("sd", "positive")), "laplace"

    def __init__(self, mean=None, sd=None, seed=None, dtype=float32, name="Laplace"):
        super().__init__(seed, dtype, name, {"mean": mean, "sd": sd})

    def _mean(self, mean, sd):
        return self._mode(mean, sd)

    def _sd(self, mean, sd):
        return math.sqrt(2) * self._mode(sd, mean)

    def _log_prob(self, x, mean, sd):
        return -ops.abs((x - mean) / sd) - ops.log(2 * sd)

    def _cdf(self, x, mean, sd):
        z = (x - mean) / sd
        tail = 0.5 * ops.exp(-ops.abs(z))
        return ops.where(z < 0, tail, 1 - tail)

    def _survival_function(self, x, mean, sd):
        return self._cdf(2 * mean - x, mean, sd)

    def _entropy(self, mean, sd):
        return 1 + ops.log(2 * self._mode(sd, mean))

    def _kl(self, mean_b, sd_b, mean, sd):
        apart = ops.abs(mean - mean_b)
        return ops.log(sd_b / sd) + (sd * ops.exp(-apart / sd) + apart) / sd_b - 1


class Logistic(_LocationScale):
    r"""The distribution with CDF $1 / (1 + e^{-z})$, $z = (x - loc) / scale$.

    >>> nn.probability.distribution.Logistic(0.0, 1.0).cdf(Tensor([0.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    RULES, LAW = (("loc", "any"), ("scale", "positive")), "logistic"

    def __init__(self, loc=None, scale=None, seed=None, dtype=float32, name="Logistic"):
        super().__init__(seed, dtype, name, {"loc": loc, "scale": scale})

    def _mean(self, loc, scale):
        return self._mode(loc, scale)

    def _sd(self, loc, scale):
        return math.pi / math.sqrt(3) * self._mode(scale, loc)

    def _log_prob(self, x, loc, scale):
        z = (x - loc) / scale
        return ops.logsigmoid(z) + ops.logsigmoid(-z) - ops.log(scale)

    def _log_cdf(self, x, loc, scale):
        return ops.logsigmoid((x - loc) / scale)

    def _log_survival(self, x, loc, scale):
        return ops.logsigmoid((loc - x) / scale)

    def _entropy(self, loc, scale):
        return ops.log(self._mode(scale, loc)) + 2


class Gumbel(_LocationScale):
    r"""The distribution with CDF $e^{-e^{-z}}$, $z = (x - loc) / scale$.

    >>> nn.probability.distribution.Gumbel(0.0, 1.0).mean().asnumpy().round(4)
    np.float32(0.5772)
    """

    RULES, LAW = (("loc", "any"), ("scale", "positive")), "gumbel"

    def __init__(self, loc, scale, seed=0, dtype=float32, name="Gumbel"):
        super().__init__(seed, dtype, name, {"loc": loc, "scale": scale})

    def _mean(self, loc, scale):
        return loc + EULER * scale

    def _sd(self, loc, scale):
        return math.pi / math.sqrt(6) * self._mode(scale, loc)

    def _log_prob(self, x, loc, scale):
        z = (x - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _log_cdf(self, x, loc, scale):
        return -ops.exp((loc - x) / scale)

    def _entropy(self, loc, scale):
        return ops.log(self._mode(scale, loc)) + (EULER + 1)

    def _kl(self, loc_b, scale_b, loc, scale):
        ratio, apart = scale / scale_b, (loc - loc_b) / scale_b
        power = ops.expm1(ops.lgamma(ratio + 1) - apart)
        return EULER * (ratio - 1) - ops.log(ratio) + apart + power


class Cauchy(_LocationScale):
    r"""Density $1 / (\pi \, scale \, (1 + z^2))$, $z = (x - loc) / scale$; it has no mean.

    >>> nn.probability.distribution.Cauchy(0.0, 1.0).cdf(Tensor([1.0])).asnumpy()
    array([0.75], dtype=float32)
    """

    RULES, LAW = (("loc", "any"), ("scale", "positive")), "cauchy"

    def __init__(self, loc=None, scale=None, seed=None, dtype=float32, name="Cauchy"):
        super().__init__(seed, dtype, name, {"loc": loc, "scale": scale})

    def _mean(self, loc, scale):
        raise rejection("mean-deviation-do-not", self.name)

    _sd = _mean

    def _log_prob(self, x, loc, scale):
        return -ops.log1p(ops.square((x - loc) / scale)) - ops.log(math.pi * scale)

    def _cdf(self, x, loc, scale):
        return ops.atan((x - loc) / scale) / math.pi + 0.5

    def _survival_function(self, x, loc, scale):
        return self._cdf(2 * loc - x, loc, scale)

    def _entropy(self, loc, scale):
        return ops.log(4 * math.pi * self._mode(scale, loc))

    def _kl(self, loc_b, scale_b, loc, scale):
        both = ops.square(scale + scale_b) + ops.square(loc - loc_b)
        return ops.log(both / (4 * scale * scale_b))


class StudentT(Distribution):
    r"""$mean + sd \cdot t$, where t has Student's distribution with `df` degrees of freedom.

    >>> nn.probability.distribution.StudentT(1.0, 0.0, 1.0).prob(Tensor([0.0])).asnumpy().round(4)
    array([0.3183], dtype=float32)
    """

    RULES = (("df", "positive"), ("mean", "any"), ("sd", "positive"))

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=float32, name="StudentT"):
        super().__init__(seed, dtype, name, {"df": df, "mean": mean, "sd": sd})

    def _mode(self, df, mean, sd):
        return ops.broadcast_to(mean, self._batch(df.shape, mean.shape, sd.shape))

    def _mean(self, df, mean, sd):
        return ops.where(df > 1, self._mode(df, mean, sd), math.nan)

    def _var(self, df, mean, sd):
        spread = ops.square(sd) * df / ops.where(df > 2, df - 2, 1.0)
        return ops.where(df > 2, spread, ops.where(df > 1, math.inf, math.nan))

    def _log_prob(self, x, df, mean, sd):
        tail = -0.5 * (df + 1) * ops.log1p(ops.square((x - mean) / sd) / df)
        return tail - ops.log(sd) - 0.5 * ops.log(df) - _log_beta(0.5 * df, 0.5)

    def _entropy(self, df, mean, sd):
        half = 0.5 * (df + 1)
        slope = half * (ops.digamma(half) - ops.digamma(0.5 * df))
        return slope + 0.5 * ops.log(df) + _log_beta(0.5 * df, 0.5) + ops.log(sd)

    def _sample(self, key, shape, df, mean, sd):
        kind = to_numpy(self.parameter_type)
        first, second = split_key(key)
        spread = gamma_from_key(first, 0.5 * df, shape, kind)
        return mean + sd * normal_from_key(second, shape, kind) * ops.sqrt(0.5 * df / spread)


def _log_beta(a, b):
    return ops.lgamma(a) + math.lgamma(b) - ops.lgamma(a + b)
