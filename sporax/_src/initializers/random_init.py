"""Random initializers: drawn on the host, equal to MindSpore's values for the same seed."""

import math

import numpy as np

from sporax._src.core.random import draw_on_host, host_seed
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.initializers import philox
from sporax._src.initializers.base import Initializer, fans, register


def _fill(arr, sampler, seed):
    in_place = arr.dtype == np.float32 and arr.flags.c_contiguous
    work = arr if in_place else np.empty(arr.shape, np.float32)
    philox.fill(work, host_seed() if seed is None else seed, sampler)
    if not in_place:
        arr[...] = work


def fill_uniform(arr, low, high, seed=None):
    """Fill an array with uniform values in [low, high); `seed`: 64-bit, drawn if None."""
    _fill(arr, philox.uniform(low, high), seed)


def fill_normal(arr, mean, sigma, seed=None):
    """Fill an array with normal values of mean `mean` and standard deviation `sigma`."""
    _fill(arr, philox.normal(mean, sigma), seed)


def fill_truncated_normal(arr, mean, sigma, low, high, seed=None):
    """Fill an array with normal values truncated to [low, high]."""
    _fill(arr, philox.truncated_normal(mean, sigma, low, high), seed)


def uniform_array(low, high, shape):
    """Return a Float32 array, uniform in [low, high)."""
    array = np.empty(shape, np.float32)
    fill_uniform(array, low, high)
    return array


def normal_array(mean, sigma, shape):
    """Return a Float32 array, normal with mean `mean` and standard deviation `sigma`."""
    array = np.empty(shape, np.float32)
    fill_normal(array, mean, sigma)
    return array


def truncated_normal_array(low, high, mean, sigma, shape):
    """Return a Float32 array like `normal_array`, truncated to [low, high]."""
    array = np.empty(shape, np.float32)
    fill_truncated_normal(array, mean, sigma, low, high)
    return array


def _positive(who, **values):
    for name, value in values.items():
        require(value > 0, "greater-than", who, argument=name, n=0, got=value)


@register()
class Uniform(Initializer):
    """Uniform in $[-scale, scale)$.

    >>> bool(abs(Uniform(0.1).draw((100,))).max() <= 0.1)
    True
    """

    def __init__(self, scale=0.07):
        super().__init__(scale=scale)
        self.scale = scale

    def _initialize(self, arr):
        fill_uniform(arr, -self.scale, self.scale)


class UniformFromNumPy(Uniform):
    """Uniform in $[-scale, scale)$, from NumPy's global generator, as used by recurrent layers.

    >>> bool(abs(UniformFromNumPy(0.1).draw((100,))).max() <= 0.1)
    True
    """

    def _initialize(self, arr):
        arr[...] = draw_on_host(np.random.uniform, -self.scale, self.scale, arr.shape)


@register()
class Normal(Initializer):
    """Normal with mean `mean` and standard deviation `sigma` (at least 0).

    >>> Normal(0.1).draw((2, 3)).shape
    (2, 3)
    """

    def __init__(self, sigma=0.01, mean=0.0):
        super().__init__(sigma=sigma, mean=mean)
        require(sigma >= 0, "at-least", "Normal", sigma=sigma, n=0)
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr):
        fill_normal(arr, self.mean, self.sigma)


@register()
class TruncatedNormal(Initializer):
    """Normal with mean `mean` and standard deviation `sigma`, truncated to $[a, b]$.

    `a`, `b`: absolute bounds, not multiples of `sigma`.

    >>> bool(abs(TruncatedNormal(1.0).draw((100,))).max() <= 2)
    True
    """

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        _positive("TruncatedNormal", sigma=sigma)
        require(a < b, "less-than", "TruncatedNormal", a=a, other="b", high=b)
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr):
        fill_truncated_normal(arr, self.mean, self.sigma, self.a, self.b)


@register("xavier_uniform")
class XavierUniform(Initializer):
    r"""Uniform in $\pm gain \sqrt{6 / (fan_{in} + fan_{out})}$ (Glorot and Bengio, 2010).

    >>> bool(abs(XavierUniform().draw((4, 2))).max() <= 1)
    True
    """

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        bound = self.gain * math.sqrt(6 / sum(fans(arr.shape)))
        fill_uniform(arr, -bound, bound)


@register("xavier_normal")
class XavierNormal(Initializer):
    r"""Normal with std $gain \sqrt{2 / (fan_{in} + fan_{out})}$ (Glorot and Bengio, 2010).

    >>> XavierNormal().draw((4, 2)).shape
    (4, 2)
    """

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        fill_normal(arr, 0, self.gain * math.sqrt(2 / sum(fans(arr.shape))))


# nonlinearity -> gain of the weights before it, given the negative slope
_GAINS = {
    **dict.fromkeys(["linear", "conv1d", "conv2d", "conv3d", "sigmoid"], lambda slope: 1.0),
    **dict.fromkeys(
        ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"], lambda slope: 1.0
    ),
    "tanh": lambda slope: 5 / 3,
    "relu": lambda slope: math.sqrt(2),
    "leaky_relu": lambda slope: math.sqrt(2 / (1 + slope**2)),
}
_GAIN, _FAN = kinds.one_of(*_GAINS), kinds.one_of("fan_in", "fan_out")


def gain_of(nonlinearity, slope=None, who=None):
    """Return He's gain of a nonlinearity; `slope`: of leaky ReLU (None: 0.01)."""
    _GAIN(who, nonlinearity=nonlinearity)
    return _GAINS[nonlinearity](0.01 if slope is None else slope)


def fan_of(shape, mode, who=None):
    """Return the fan selected by `mode` ('fan_in' or 'fan_out')."""
    mode = str(mode).lower()
    _FAN(who, mode=mode)
    return fans(shape)[mode == "fan_out"]


class _He(Initializer):
    """Base class of He's initializers: gain / sqrt(fan)."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity
        gain_of(nonlinearity, negative_slope, type(self).__name__)

    def _deviation(self, arr):
        gain = gain_of(self.nonlinearity, self.negative_slope)
        return gain / math.sqrt(fan_of(arr.shape, self.mode, type(self).__name__))


@register("he_uniform")
class HeUniform(_He):
    r"""Uniform in $\pm gain \sqrt{3 / fan}$ (He et al., 2015).

    `mode`: 'fan_in' or 'fan_out'. `nonlinearity`: the following one ('relu', 'tanh', 'sigmoid',
    'linear', ...); the gain of 'leaky_relu' is $\sqrt{2 / (1 + negative\_slope^2)}$.

    >>> bool(abs(HeUniform().draw((4, 6))).max() <= 1)
    True
    """

    def _initialize(self, arr):
        bound = math.sqrt(3) * self._deviation(arr)
        fill_uniform(arr, -bound, bound)


@register("he_normal")
class HeNormal(_He):
    r"""Normal with std $gain / \sqrt{fan}$ (He et al., 2015); arguments: see `HeUniform`.

    >>> HeNormal().draw((4, 6)).shape
    (4, 6)
    """

    def _initialize(self, arr):
        fill_normal(arr, 0, self._deviation(arr))


@register()
class Sparse(Initializer):
    r"""Normal with std `sigma`; in each column $\lceil sparsity \cdot rows \rceil$ zeros.

    The shape must be 2-d; `sparsity` is in [0, 1] (Martens, 2010).

    >>> (Sparse(0.5).draw((4, 3)) == 0).sum(0)
    array([2, 2, 2])
    """

    def __init__(self, sparsity, sigma=0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)
        require(0 <= sparsity <= 1, "in-interval", "Sparse", sparsity=sparsity, interval="[0, 1]")
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr):
        require(arr.ndim == 2, "weight-dimensions-one-of", "Sparse", n=(2,), shape=arr.shape)
        fill_normal(arr, 0, self.sigma)
        zeros = math.ceil(self.sparsity * arr.shape[0])
        for column in range(arr.shape[1]):
            arr[draw_on_host(np.random.permutation, arr.shape[0])[:zeros], column] = 0


@register()
class Orthogonal(Initializer):
    """`gain` times a random (semi-)orthogonal matrix; axes after the first are flattened.

    Requires at least 2 dimensions (Saxe et al., 2014).

    >>> w = Orthogonal().draw((2, 3))
    >>> np.allclose(w @ w.T, np.eye(2), atol=1e-5)
    True
    """

    def __init__(self, gain=1.0):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        require(arr.ndim >= 2, "weight-dimensions-at-least", "Orthogonal", n=2, shape=arr.shape)
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        drawn = normal_array(0, 1, (rows, columns))
        q, r = np.linalg.qr(drawn if rows >= columns else drawn.T)
        q *= np.sign(np.diag(r))  # needed for a uniform distribution of the matrices
        q *= self.gain
        arr[...] = (q if rows >= columns else q.T).reshape(arr.shape)


_MODES = {
    "fan_in": lambda i, o: i,
    "fan_out": lambda i, o: o,
    "fan_avg": lambda i, o: (i + o) / 2,
}
_LAWS = {
    "uniform": lambda arr, std: fill_uniform(arr, -std * math.sqrt(3), std * math.sqrt(3)),
    "untruncated_normal": lambda arr, std: fill_normal(arr, 0, std),
}
# MindSpore's truncated normal is a uniform distribution of the same variance
_LAWS["truncated_normal"] = _LAWS["uniform"]


@register()
class VarianceScaling(Initializer):
    r"""Values of variance $scale / n$, where $n$ is a fan of the weight.

    `mode`: 'fan_in', 'fan_out' or 'fan_avg' (their mean). `distribution`: 'untruncated_normal',
    'uniform' or 'truncated_normal', which is also uniform, as in MindSpore.

    >>> bool(abs(VarianceScaling(distribution="uniform").draw((4, 3))).max() <= 1)
    True
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        _positive("VarianceScaling", scale=scale)
        kinds.one_of(*_MODES)("VarianceScaling", mode=mode)
        kinds.one_of(*_LAWS)("VarianceScaling", distribution=distribution)
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr):
        n = max(1.0, _MODES[self.mode](*fans(arr.shape)))
        _LAWS[self.distribution](arr, math.sqrt(self.scale / n))
