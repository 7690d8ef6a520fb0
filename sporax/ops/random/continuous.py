"""Random numbers from continuous distributions.

All draw from the generator that `set_seed` and `manual_seed` set, unless a call has a `seed` (an
int, at least 0; or a Generator). Calls with the same seed draw successive numbers from one
sequence, so they differ, and a second run of the program repeats them. An object such as
`ops.StandardNormal(seed=3)` has a separate sequence, which begins at its seed.
"""

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax.ops.casting import cast
from sporax.ops.declare import composite
from sporax.ops.math.elementwise import clamp, exp
from sporax.ops.random.draws import (
    all_sizes,
    common_shape,
    dtype_of_kind,
    gamma_from_key,
    inverse_cdf_from_key,
    next_key,
    normal_from_key,
    randint_from_key,
    shape_tensor,
    sizes,
    source_of,
    truncated_normal_from_key,
    uniform_from_key,
)
from sporax.ops.shape.reshape import reshape

_FLOAT = np.dtype(np.float32)

# normal -------------------------------------------------------------------------------------


@composite()
def standard_normal(shape, seed=None):
    """Draw Float32 numbers from the standard normal distribution.

    `shape`: a tuple of ints. `seed`: an int for a separate sequence, else `set_seed` governs.

    >>> ops.standard_normal((2, 3)).shape
    (2, 3)
    """
    return normal_from_key(next_key(seed), sizes("StandardNormal", shape), _FLOAT)


@composite(function=(), primitive="StandardNormal(seed=0, seed2=0)(shape)")
def normal_of_class(itself, shape, seed=0, seed2=0):
    """As `standard_normal`.

    >>> ops.StandardNormal()((2, 3)).shape
    (2, 3)
    """
    return standard_normal(shape, source_of(itself, seed, seed2))


@composite()
def normal(shape, mean, stddev, seed=None):
    """Draw Float32 numbers from the normal distribution (`mean`, `stddev`: numbers or Tensors).

    The result has the shape to which `shape` and the parameters broadcast.

    >>> ops.normal((2, 3), 0.0, 1.0).shape
    (2, 3)
    """
    shape = common_shape("normal", shape, mean, stddev)
    return normal_from_key(next_key(seed), shape, _FLOAT) * stddev + mean


@composite()
def randn(*size, dtype=None, seed=None):
    """Draw from the standard normal distribution, in a floating `dtype` (Float32).

    `size`: ints, or one tuple of ints; none for shape (1,).

    >>> ops.randn(2, 3).shape
    (2, 3)
    """
    wanted = dtype_of_kind("randn", dtype, "fV")
    return normal_from_key(next_key(seed), all_sizes("randn", size), wanted)


@composite()
def randn_like(input, seed=None, *, dtype=None):
    """As `randn`, in the shape of `input`.

    >>> ops.randn_like(Tensor([1, 2])).dtype
    mindspore.float32
    """
    wanted = dtype_of_kind("randn_like", dtype, "fV")
    return normal_from_key(next_key(seed), input.shape, wanted)


@composite(
    tensor="log_normal(input, mean=1.0, std=2.0)",
    primitive="LogNormalReverse(mean=1.0, std=2.0)(input)",
    function=(),
)
def log_normal(input, mean=1.0, std=2.0):
    """$e^z$, z normal with mean `mean`, deviation `std`, in the shape and dtype of `input`.

    >>> Tensor([1.0, 2.0]).log_normal(0.0, 1.0).shape
    (2,)
    """
    wanted = dtype_of_kind("log_normal", input.dtype, "fV")
    drawn = normal_from_key(next_key(), input.shape, np.promote_types(wanted, _FLOAT))
    return cast(exp(drawn * std + mean), input.dtype)


@composite(
    function=(),
    primitive="TruncatedNormal(dtype=float32, seed=0, seed2=0)(shape)",
)
def cut_normal_of_class(itself, shape, dtype=dtypes.float32, seed=0, seed2=0):
    """Draw from the standard normal distribution truncated to [-2, 2].

    >>> ops.TruncatedNormal()(Tensor([2, 3])).shape
    (2, 3)
    """
    wanted = dtype_of_kind("TruncatedNormal", dtype, "fV", error=TypeError)
    key = next_key(source_of(itself, seed, seed2))
    return truncated_normal_from_key(key, -2.0, 2.0, sizes("TruncatedNormal", shape), wanted)


@composite(
    function=(),
    primitive="ParameterizedTruncatedNormal(seed=0, seed2=0)(shape, mean, stdevs, min, max)",
)
def cut_normal_of_parameters(itself, shape, mean, stdevs, min, max, seed=0, seed2=0):
    """Draw from the normal distribution with `mean` and `stdevs`, truncated to [min, max].

    Each parameter is a Tensor of shape () or one element for each index of the first axis.

    >>> low, high = Tensor([-1.0]), Tensor([1.0])
    >>> normal, mean, deviation = ops.ParameterizedTruncatedNormal(), Tensor([0.0]), Tensor([1.0])
    >>> normal(Tensor([1, 4]), mean, deviation, low, high).shape
    (1, 4)
    """
    shape = sizes("ParameterizedTruncatedNormal", shape)
    rows = (-1, *[1] * (len(shape) - 1))
    mean, stdevs, low, high = [reshape(p, rows) if p.ndim else p for p in (mean, stdevs, min, max)]
    key, wanted = next_key(source_of(itself, seed, seed2)), dtypes.to_numpy(mean.dtype)
    z = truncated_normal_from_key(key, (low - mean) / stdevs, (high - mean) / stdevs, shape, wanted)
    return clamp(z * stdevs + mean, low, high)  # rounding must not step over a bound


# uniform ------------------------------------------------------------------------------------


@composite()
def uniform(shape, minval, maxval, seed=None, dtype=dtypes.float32):
    """Draw uniformly from [minval, maxval) (numbers or Tensors), integers if `dtype` is Int32.

    The result has the shape to which `shape` and the parameters broadcast.

    >>> ops.uniform((2, 3), Tensor(0.0), Tensor(1.0)).shape
    (2, 3)
    """
    shape = common_shape("uniform", shape, minval, maxval)
    wanted = dtype_of_kind("uniform", dtype, "fiV", error=TypeError)
    if wanted.kind == "i":
        return randint_from_key(next_key(seed), minval, maxval, shape, wanted)
    return uniform_from_key(next_key(seed), shape, wanted) * (maxval - minval) + minval


@composite()
def rand(*size, dtype=None, seed=None):
    """Draw uniformly from [0, 1), in a floating `dtype` (Float32); `size` as in `randn`.

    >>> ops.rand(2, 3).shape
    (2, 3)
    """
    wanted = dtype_of_kind("rand", dtype, "fV")
    return uniform_from_key(next_key(seed), all_sizes("rand", size), wanted)


@composite()
def rand_like(input, seed=None, *, dtype=None):
    """As `rand`, in the shape (and, unless `dtype` is given, the dtype) of `input`.

    >>> ops.rand_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    wanted = dtype_of_kind("rand_like", dtype, "fV", input.dtype)
    return uniform_from_key(next_key(seed), input.shape, wanted)


@composite(function=(), primitive="UniformReal(seed=0, seed2=0)(shape)")
def uniform_of_class(itself, shape, seed=0, seed2=0):
    """Draw Float32 numbers uniformly from [0, 1).

    >>> ops.UniformReal()((2, 3)).shape
    (2, 3)
    """
    return rand(sizes("UniformReal", shape), seed=source_of(itself, seed, seed2))


@composite(function=(), primitive="Uniform(minval=0.0, maxval=1.0, seed=0, offset=0)(x)")
def uniform_like_of_class(itself, x, minval=0.0, maxval=1.0, seed=0, offset=0):
    """Draw uniformly from [minval, maxval), in the shape and dtype of `x`.

    >>> ops.Uniform()(ops.ones((2, 3))).shape
    (2, 3)
    """
    dtype = dtype_of_kind("Uniform", x.dtype, "fV", error=TypeError)
    drawn = rand_like(x, source_of(itself, seed, offset), dtype=dtype)
    return cast(drawn * (maxval - minval) + minval, x.dtype)


# other laws ---------------------------------------------------------------------------------


@composite()
def standard_laplace(shape, seed=None):
    """Draw Float32 numbers with density $e^{-|x|} / 2$.

    >>> ops.standard_laplace((2, 3)).shape
    (2, 3)
    """
    return inverse_cdf_from_key(next_key(seed), "laplace", sizes("StandardLaplace", shape), _FLOAT)


@composite(function=(), primitive="StandardLaplace(seed=0, seed2=0)(shape)")
def laplace_of_class(itself, shape, seed=0, seed2=0):
    """As `standard_laplace`.

    >>> ops.StandardLaplace()((2, 3)).shape
    (2, 3)
    """
    return standard_laplace(shape, source_of(itself, seed, seed2))


@composite()
def laplace(shape, mean, lambda_param, seed=None):
    r"""Draw Float32 numbers with density $e^{-|x - mean| / \lambda} / (2 \lambda)$.

    The result has the shape to which `shape` and the parameters broadcast.

    >>> ops.laplace((2, 3), Tensor(1.0), Tensor(2.0)).shape
    (2, 3)
    """
    shape = common_shape("laplace", shape, mean, lambda_param)
    return standard_laplace(shape, seed) * lambda_param + mean


@composite()
def gamma(shape, alpha, beta, seed=None):
    r"""Float32 numbers with density $\beta^\alpha x^{\alpha - 1} e^{-\beta x} / \Gamma(\alpha)$.

    The result has the shape to which `shape` and the parameters broadcast.

    >>> ops.gamma((3, 1, 2), Tensor([[3.0, 4.0], [5.0, 6.0]]), Tensor([1.0])).shape
    (3, 2, 2)
    """
    shape = common_shape("gamma", shape, alpha, beta)
    return gamma_from_key(next_key(seed), alpha, shape, _FLOAT) / beta


@composite(function=(), primitive="Gamma(seed=0, seed2=0)(shape, alpha, beta)")
def gamma_of_class(itself, shape, alpha, beta, seed=0, seed2=0):
    """As `gamma`.

    >>> ops.Gamma()((2,), Tensor([1.0]), Tensor([1.0])).shape
    (2,)
    """
    return gamma(shape, alpha, beta, source_of(itself, seed, seed2))


@composite()
def random_gamma(shape, alpha, seed=None):
    """As `gamma` with rate 1: for each element of `alpha`, numbers in `shape` (a Tensor).

    >>> ops.random_gamma(Tensor([7, 5]), Tensor([0.5, 1.5])).shape
    (7, 5, 2)
    """
    wanted = dtype_of_kind("random_gamma", alpha.dtype, "fV", error=TypeError)
    shape = shape_tensor("random_gamma", shape) + alpha.shape
    return gamma_from_key(next_key(seed), alpha, shape, wanted)


@composite(function=(), primitive="RandomGamma(seed=0, seed2=0)(shape, alpha)")
def random_gamma_of_class(itself, shape, alpha, seed=0, seed2=0):
    """As `random_gamma`.

    >>> ops.RandomGamma()(Tensor([2]), Tensor([1.0])).shape
    (2, 1)
    """
    return random_gamma(shape, alpha, source_of(itself, seed, seed2))


@composite(function=(), primitive="Cauchy(size, median=0.0, sigma=1.0)()")
def cauchy_of_class(size, median=0.0, sigma=1.0):
    r"""Draw Float32 numbers with density $\sigma / (\pi ((x - median)^2 + \sigma^2))$.

    >>> ops.Cauchy([2, 3])().shape
    (2, 3)
    """
    kinds.LIST("Cauchy", size=size)
    return (
        inverse_cdf_from_key(next_key(), "cauchy", sizes("Cauchy", size), _FLOAT) * sigma + median
    )


@composite(tensor=True, function=())
def cauchy(input, median=0.0, sigma=1.0):
    r"""Draw numbers with density $\sigma / (\pi ((x - median)^2 + \sigma^2))$, shaped as `input`.

    >>> Tensor([1.0, 2.0]).cauchy().shape
    (2,)
    """
    wanted = dtype_of_kind("cauchy", input.dtype, "fV")
    drawn = inverse_cdf_from_key(
        next_key(), "cauchy", input.shape, np.promote_types(wanted, _FLOAT)
    )
    return cast(drawn * sigma + median, input.dtype)
