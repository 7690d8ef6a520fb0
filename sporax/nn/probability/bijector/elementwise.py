"""Elementwise bijectors."""

from sporax import ops
from sporax._src.diagnosis import argument_kinds as kinds
from sporax.nn.probability.bijector.base import Bijector, like
from sporax.nn.probability.parameter_checks import check_numbers


class PowerTransform(Bijector):
    r"""$y = (1 + c x)^{1 / c}$, and $e^x$ for c = 0; c is `power`, at least 0.

    >>> power = nn.probability.bijector.PowerTransform(0.5)
    >>> power.forward(Tensor([2.0])).asnumpy().round(4)
    array([4.], dtype=float32)
    """

    def __init__(self, power=0.0, name="PowerTransform"):
        super().__init__(name=name, param={"name": name, "param_dict": {"power": power}})
        self.power = self._add_parameter(power, "power")
        check_numbers(name, kinds.NOT_NEGATIVE, "power", power, self.power)

    def _power_of(self, x):
        """Return c, c == 0, and c with zeros replaced by 1."""
        c = like(x, self.power)
        is_zero = c == 0
        return c, is_zero, ops.where(is_zero, ops.ones_like(c), c)

    def _forward(self, x):
        _, is_zero, c = self._power_of(x)
        inner = ops.where(is_zero, ops.zeros_like(x), x)
        return ops.where(is_zero, ops.exp(x), ops.exp(ops.log1p(inner * c) / c))

    def _inverse(self, y):
        _, is_zero, c = self._power_of(y)
        return ops.where(is_zero, ops.log(y), ops.expm1(ops.log(y) * c) / c)

    def _forward_log_jacobian(self, x):
        _, is_zero, c = self._power_of(x)
        inner = ops.where(is_zero, ops.zeros_like(x), x)
        return ops.where(is_zero, x, (1 / c - 1) * ops.log1p(inner * c))

    def _inverse_log_jacobian(self, y):
        return (self._power_of(y)[0] - 1) * ops.log(y)


class Exp(PowerTransform):
    """$y = e^x$.

    >>> nn.probability.bijector.Exp().inverse(Tensor([1.0])).asnumpy()
    array([0.], dtype=float32)
    """

    def __init__(self, name="Exp"):
        super().__init__(name=name)

    def extend_repr(self):
        return "exp"


class ScalarAffine(Bijector):
    """$y = scale \\cdot x + shift$.

    >>> nn.probability.bijector.ScalarAffine(2.0, 1.0).forward(Tensor([3.0])).asnumpy()
    array([7.], dtype=float32)
    """

    def __init__(self, scale=1.0, shift=0.0, name="ScalarAffine"):
        given = {"scale": scale, "shift": shift}
        super().__init__(True, True, name, param={"name": name, "param_dict": given})
        self.scale = self._add_parameter(scale, "scale")
        self.shift = self._add_parameter(shift, "shift")

    @property
    def _is_decreasing(self):
        return self.scale < 0

    def _forward(self, x):
        return like(x, self.scale) * x + like(x, self.shift)

    def _inverse(self, y):
        return (y - like(y, self.shift)) / like(y, self.scale)

    def _forward_log_jacobian(self, x):
        return ops.log(ops.abs(like(x, self.scale)))

    def _inverse_log_jacobian(self, y):
        return -self._forward_log_jacobian(y)


def _softplus_inverse(y):
    return y + ops.log(-ops.expm1(-y))


class Softplus(Bijector):
    r"""$y = \ln(1 + e^{k x}) / k$ with k `sharpness`.

    >>> nn.probability.bijector.Softplus().forward(Tensor([0.0])).asnumpy().round(4)
    array([0.6931], dtype=float32)
    """

    def __init__(self, sharpness=1.0, name="Softplus"):
        super().__init__(name=name, param={"name": name, "param_dict": {"sharpness": sharpness}})
        self.sharpness = self._add_parameter(sharpness, "sharpness")

    def _forward(self, x):
        k = like(x, self.sharpness)
        return ops.logaddexp(k * x, ops.zeros_like(x)) / k

    def _inverse(self, y):
        k = like(y, self.sharpness)
        return _softplus_inverse(k * y) / k

    def _forward_log_jacobian(self, x):
        return ops.logsigmoid(like(x, self.sharpness) * x)

    def _inverse_log_jacobian(self, y):
        scaled = like(y, self.sharpness) * y
        return scaled - _softplus_inverse(scaled)


class GumbelCDF(Bijector):
    r"""$y = e^{-e^{-z}}$ with $z = (x - loc) / scale$, `scale` above 0.

    >>> nn.probability.bijector.GumbelCDF().forward(Tensor([0.0])).asnumpy().round(4)
    array([0.3679], dtype=float32)
    """

    def __init__(self, loc=0.0, scale=1.0, name="GumbelCDF"):
        given = {"loc": loc, "scale": scale}
        super().__init__(name=name, param={"name": name, "param_dict": given})
        self.loc = self._add_parameter(loc, "loc")
        self.scale = self._add_parameter(scale, "scale")
        check_numbers(name, kinds.POSITIVE, "scale", scale, self.scale)

    def _forward(self, x):
        return ops.exp(-ops.exp(-self._standard(x)))

    def _standard(self, x):
        return (x - like(x, self.loc)) / like(x, self.scale)

    def _inverse(self, y):
        return like(y, self.loc) - like(y, self.scale) * ops.log(-ops.log(y))

    def _forward_log_jacobian(self, x):
        z = self._standard(x)
        return -z - ops.exp(-z) - ops.log(like(x, self.scale))

    def _inverse_log_jacobian(self, y):
        return ops.log(like(y, self.scale) / (-y * ops.log(y)))


class Invert(Bijector):
    """The inverse of `bijector`.

    >>> log = nn.probability.bijector.Invert(nn.probability.bijector.Exp())
    >>> log.forward(Tensor([1.0])).asnumpy()
    array([0.], dtype=float32)
    """

    def __init__(self, bijector, name=""):
        kinds.instance(Bijector, "a-bijector")("Invert", bijector=bijector)
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective, name or f"Invert{bijector.name}",
            bijector.dtype, {**bijector.parameters, "bijector": bijector},
        )  # fmt: skip
        self.bijector = bijector

    @property
    def _is_decreasing(self):
        return self.bijector._is_decreasing

    def _forward(self, x):
        return self.bijector.inverse(x)

    def _inverse(self, y):
        return self.bijector.forward(y)

    def _forward_log_jacobian(self, x):
        return self.bijector.inverse_log_jacobian(x)

    def _inverse_log_jacobian(self, y):
        return self.bijector.forward_log_jacobian(y)

    def extend_repr(self):
        return ""
