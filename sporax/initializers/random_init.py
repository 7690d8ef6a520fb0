"""Random initializers: drawn on the host, directly in the dtype of the result."""

import math

import numpy as np

from sporax.core.random import host
from sporax.initializers.base import Initializer, fans, register

_DRAWN = (np.dtype(np.float32), np.dtype(np.float64))


def _floating(arr):
    """The array itself where values can be drawn into it, else one of Float32 beside it."""
    drawn = arr.dtype in _DRAWN and arr.flags.c_contiguous
    return arr if drawn else np.empty(arr.shape, np.float32)


def _keep(arr, work):
    if work is not arr:
        arr[...] = work


def fill_uniform(arr, low, high, generator=None):
    """Fill an array with values uniform in [low, high); `generator`: one of NumPy's."""
    work = _floating(arr)
    (generator or host()).random(out=work, dtype=work.dtype)
    work *= high - low
    work += low
    _keep(arr, work)


def fill_normal(arr, mean, sigma, generator=None):
    """Fill an array with values normal around `mean`, of standard deviation `sigma`."""
    work = _floating(arr)
    (generator or host()).standard_normal(out=work, dtype=work.dtype)
    work *= sigma
    work += mean
    _keep(arr, work)


def fill_truncated_normal(arr, mean, sigma, low, high, generator=None):
    """Fill an array with values normal around `mean`, of which only those in [low, high] count."""
    from scipy.special import ndtr, ndtri  # a tenth of a second to import, for this one law

    a, b = (low - mean) / sigma, (high - mean) / sigma
    mirrored = a > 0  # the distribution function is precise in the lower tail
    if mirrored:
        a, b = -b, -a
    drawn = (generator or host()).random(arr.shape)
    below, above = ndtr(a), ndtr(b)
    drawn *= above - below
    drawn += below
    drawn = np.clip(ndtri(drawn), a, b)
    drawn *= -sigma if mirrored else sigma
    drawn += mean
    # rounding to fewer bits must not step over a bound
    arr[...] = np.clip(drawn, low, high)


def uniform_array(low, high, shape):
    """A Float32 array, uniform in [low, high)."""
    array = np.empty(shape, np.float32)
    fill_uniform(array, low, high)
    return array


def normal_array(mean, sigma, shape):
    """A Float32 array, normal around `mean` with standard deviation `sigma`."""
    array = np.empty(shape, np.float32)
    fill_normal(array, mean, sigma)
    return array


def truncated_normal_array(low, high, mean, sigma, shape):
    """A Float32 array as `normal_array`'s, where only values in [low, high] count."""
    array = np.empty(shape, np.float32)
    fill_truncated_normal(array, mean, sigma, low, high)
    return array


def _positive(who, **values):
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"For '{who}', '{name}' must be greater than 0, but got {value}.")


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


@register()
class Normal(Initializer):
    """Normal around `mean`, with standard deviation `sigma` (at least 0).

    >>> Normal(0.1).draw((2, 3)).shape
    (2, 3)
    """

    def __init__(self, sigma=0.01, mean=0.0):
        super().__init__(sigma=sigma, mean=mean)
        if sigma < 0:
            raise ValueError(f"For 'Normal', 'sigma' must be at least 0, but got {sigma}.")
        self.sigma, self.mean = sigma, mean

    def _initialize(self, arr):
        fill_normal(arr, self.mean, self.sigma)


@register()
class TruncatedNormal(Initializer):
    """Normal around `mean` with deviation `sigma`, of which only the values in $[a, b]$ count.

    `a`, `b`: the bounds themselves, not multiples of `sigma`.

    >>> bool(abs(TruncatedNormal(1.0).draw((100,))).max() <= 2)
    True
    """

    def __init__(self, sigma=0.01, mean=0.0, a=-2.0, b=2.0):
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        _positive("TruncatedNormal", sigma=sigma)
        if not a < b:
            raise ValueError(f"For 'TruncatedNormal', 'a' must be less than 'b', but got {a}, {b}.")
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
    r"""Normal with deviation $gain \sqrt{2 / (fan_{in} + fan_{out})}$ (Glorot and Bengio, 2010).

    >>> XavierNormal().draw((4, 2)).shape
    (4, 2)
    """

    def __init__(self, gain=1):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        fill_normal(arr, 0, self.gain * math.sqrt(2 / sum(fans(arr.shape))))


# by how much a nonlinearity asks its input's weights to be wider, given the slope below zero
_GAINS = {
    **dict.fromkeys(["linear", "conv1d", "conv2d", "conv3d", "sigmoid"], lambda slope: 1.0),
    **dict.fromkeys(
        ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"], lambda slope: 1.0
    ),
    "tanh": lambda slope: 5 / 3,
    "relu": lambda slope: math.sqrt(2),
    "leaky_relu": lambda slope: math.sqrt(2 / (1 + slope**2)),
}


def gain_of(nonlinearity, slope=None):
    """The gain that He's rule gives a nonlinearity; `slope` is leaky ReLU's (0.01 where None)."""
    if nonlinearity not in _GAINS:
        raise ValueError(
            f"For 'HeUniform' and 'HeNormal', 'nonlinearity' must be one of {', '.join(_GAINS)}, "
            f"but got {nonlinearity!r}."
        )
    return _GAINS[nonlinearity](0.01 if slope is None else slope)


def fan_of(shape, mode):
    """The fan that `mode` ('fan_in' or 'fan_out') names."""
    modes = {"fan_in": 0, "fan_out": 1}
    if str(mode).lower() not in modes:
        raise ValueError(f"'mode' must be one of {', '.join(modes)}, but got {mode!r}.")
    return fans(shape)[modes[mode.lower()]]


class _He(Initializer):
    """Base of He's two rules: gain over the root of a fan."""

    def __init__(self, negative_slope=0, mode="fan_in", nonlinearity="leaky_relu"):
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity
        gain_of(nonlinearity, negative_slope)

    def _deviation(self, arr):
        gain = gain_of(self.nonlinearity, self.negative_slope)
        return gain / math.sqrt(fan_of(arr.shape, self.mode))


@register("he_uniform")
class HeUniform(_He):
    r"""Uniform in $\pm gain \sqrt{3 / fan}$ (He et al., 2015).

    `mode`: which fan, 'fan_in' or 'fan_out'. `nonlinearity`: what follows ('relu', 'tanh',
    'sigmoid', 'linear', ...); the gain of 'leaky_relu' is $\sqrt{2 / (1 + negative\_slope^2)}$.

    >>> bool(abs(HeUniform().draw((4, 6))).max() <= 1)
    True
    """

    def _initialize(self, arr):
        bound = math.sqrt(3) * self._deviation(arr)
        fill_uniform(arr, -bound, bound)


@register("he_normal")
class HeNormal(_He):
    r"""Normal with deviation $gain / \sqrt{fan}$ (He et al., 2015); arguments as `HeUniform`'s.

    >>> HeNormal().draw((4, 6)).shape
    (4, 6)
    """

    def _initialize(self, arr):
        fill_normal(arr, 0, self._deviation(arr))


@register()
class Sparse(Initializer):
    r"""Normal with deviation `sigma`; in each column $\lceil sparsity \cdot rows \rceil$ zeros.

    The shape is a matrix's; `sparsity` is in [0, 1] (Martens, 2010).

    >>> (Sparse(0.5).draw((4, 3)) == 0).sum(0)
    array([2, 2, 2])
    """

    def __init__(self, sparsity, sigma=0.01):
        super().__init__(sparsity=sparsity, sigma=sigma)
        if not 0 <= sparsity <= 1:
            raise ValueError(f"For 'Sparse', 'sparsity' must be in [0, 1], but got {sparsity}.")
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr):
        if arr.ndim != 2:
            raise ValueError(f"For 'Sparse', the shape must be a matrix's, but got {arr.shape}.")
        fill_normal(arr, 0, self.sigma)
        zeros = math.ceil(self.sparsity * arr.shape[0])
        rows = host().permuted(np.tile(np.arange(arr.shape[0])[:, None], arr.shape[1]), axis=0)
        np.put_along_axis(arr, rows[:zeros], 0, axis=0)


@register()
class Orthogonal(Initializer):
    """`gain` times a random (semi-)orthogonal matrix; axes after the first count as one.

    At least 2 dimensions (Saxe et al., 2014).

    >>> w = Orthogonal().draw((2, 3))
    >>> np.allclose(w @ w.T, np.eye(2), atol=1e-5)
    True
    """

    def __init__(self, gain=1.0):
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr):
        if arr.ndim < 2:
            raise ValueError(
                f"For 'Orthogonal', the shape must have at least 2 dimensions, but got {arr.shape}."
            )
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        tall = normal_array(0, 1, (max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(tall)
        q *= np.sign(np.diag(r))  # without it the matrices are not uniformly distributed
        q *= self.gain
        arr[...] = (q if rows >= columns else q.T).reshape(arr.shape)


# the deviation of a standard normal law cut off at -2 and 2
_CUT_DEVIATION = 0.87962566103423978

_MODES = {
    "fan_in": lambda i, o: i,
    "fan_out": lambda i, o: o,
    "fan_avg": lambda i, o: (i + o) / 2,
}
_LAWS = {
    "uniform": lambda arr, std: fill_uniform(arr, -std * math.sqrt(3), std * math.sqrt(3)),
    "untruncated_normal": lambda arr, std: fill_normal(arr, 0, std),
    "truncated_normal": lambda arr, std: _fill_cut_normal(arr, std / _CUT_DEVIATION),
}


@register()
class VarianceScaling(Initializer):
    r"""Values of variance $scale / n$, $n$ being a fan of the weight.

    `mode`: 'fan_in', 'fan_out' or 'fan_avg' (their mean). `distribution`: 'truncated_normal' (cut
    off at two deviations), 'untruncated_normal' or 'uniform'.

    >>> bool(abs(VarianceScaling(distribution="uniform").draw((4, 3))).max() <= 1)
    True
    """

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal"):
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        _positive("VarianceScaling", scale=scale)
        options = [("mode", mode, _MODES), ("distribution", distribution, _LAWS)]
        for name, value, choices in options:
            if value not in choices:
                raise ValueError(
                    f"For 'VarianceScaling', '{name}' must be one of {', '.join(choices)}, but got "
                    f"{value!r}."
                )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _initialize(self, arr):
        n = max(1.0, _MODES[self.mode](*fans(arr.shape)))
        _LAWS[self.distribution](arr, math.sqrt(self.scale / n))


def _fill_cut_normal(arr, sigma):
    fill_truncated_normal(arr, 0, sigma, -2 * sigma, 2 * sigma)
