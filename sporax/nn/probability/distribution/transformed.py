"""`TransformedDistribution`: pushforward of a distribution by a bijector."""

import math

from sporax import ops
from sporax._src.core.hooks import hooks
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.nn.probability.bijector.base import Bijector
from sporax.nn.probability.distribution.base import Distribution


class TransformedDistribution(Distribution):
    r"""Distribution of $y = f(x)$ for a `bijector` f and x from `distribution`: its density is the
    density of x at $f^{-1}(y)$ times the derivative of $f^{-1}$ there.

    `mean` is defined if the derivative of f is constant; other moments are undefined. Parameters
    are the parameters of `distribution`.

    >>> normal = nn.probability.distribution.Normal(0.0, 1.0)
    >>> exp = nn.probability.bijector.Exp()
    >>> law = nn.probability.distribution.TransformedDistribution(exp, normal)
    >>> law.cdf(Tensor([1.0])).asnumpy()
    array([0.5], dtype=float32)
    """

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution"):
        kinds.instance(Bijector, "a-bijector")(name, bijector=bijector)
        kinds.instance(Distribution, "a-distribution")(name, distribution=distribution)
        self.RULES = distribution.RULES
        super().__init__(seed, distribution.dtype, name, distribution.parameters)
        self.bijector, self.distribution = bijector, distribution
        self.is_linear_transformation = bijector.is_constant_jacobian

    def _of(self, what, value, parameters):
        return self.distribution._find(what)(self.bijector.inverse(value), *parameters)

    def _log_prob(self, value, *parameters):
        inside = self._of("log_prob", value, parameters)
        both = inside + self.bijector.inverse_log_jacobian(value)
        return ops.where(inside == -math.inf, inside, both)

    def _where_decreasing(self, what, other, value, parameters):
        falls = self.bijector._is_decreasing
        if falls is False:
            return self._of(what, value, parameters)
        rising, falling = (self._of(w, value, parameters) for w in (what, other))
        return ops.where(falls, falling, rising)

    def _cdf(self, value, *parameters):
        return self._where_decreasing("cdf", "survival_function", value, parameters)

    def _survival_function(self, value, *parameters):
        return self._where_decreasing("survival_function", "cdf", value, parameters)

    def _sample(self, key, shape, *parameters):
        drawn = self.distribution._find("sample")(key, shape, *parameters)
        return self.bijector.forward(ops.cast(drawn, self.parameter_type))

    def _mean(self, *parameters):
        require(self.is_linear_transformation, "not-defined", self.name, argument="mean")
        return self.bijector.forward(self.distribution._find("mean")(*parameters))


def _transformed(bijector, argument):
    is_distribution = isinstance(argument, Distribution)
    return TransformedDistribution(bijector, argument) if is_distribution else None


hooks.transformed = _transformed
