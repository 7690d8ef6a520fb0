"""Random numbers under PyTorch's names, drawn from a generator; and in-place random fills."""

import numpy as np

from sporax._src.core import context
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.meta import device_of, on_device
from sporax.ops.casting import cast
from sporax.ops.declare import composite
from sporax.ops.random.candidates import classes
from sporax.ops.random.continuous import rand, randn
from sporax.ops.random.discrete import bounds, randint
from sporax.ops.random.draws import (
    all_sizes,
    bernoulli_from_key,
    common_shape,
    dtype_of_kind,
    inverse_cdf_from_key,
    next_key,
    normal_from_key,
    permutation_from_key,
    randint_from_key,
    uniform_from_key,
)


def _on(name, device):
    """Return the block of a device; raise ValueError for one other than 'meta' and the one that
    runs all computations."""
    target = context.get_context("device_target")
    fits = device in (None, "meta") or str(device).upper() == target.upper()
    require(fits, "none-argument-choice", name, device=device, target=target)
    return on_device(device)


# new tensors --------------------------------------------------------------------------------


@composite(function=(), mint="rand")
def rand_from(*size, generator=None, dtype=None, device=None):
    """Draw uniformly from [0, 1), in a floating `dtype` (Float32); `size`: ints or one tuple.

    >>> mint.rand(2, 3, generator=ms.Generator().manual_seed(1)).shape
    (2, 3)
    """
    with _on("rand", device):
        return rand(all_sizes("rand", size), dtype=dtype, seed=generator)


@composite(function=(), mint="randn")
def randn_from(*size, generator=None, dtype=None, device=None):
    """Draw from the standard normal distribution; arguments as for `mint.rand`.

    >>> mint.randn((2, 3)).shape
    (2, 3)
    """
    with _on("randn", device):
        return randn(all_sizes("randn", size), dtype=dtype, seed=generator)


@composite(function=(), mint="rand_like(input, *, dtype=None, device=None)")
def rand_as(input, dtype=None, device=None):
    """As `mint.rand`, in the shape (and, unless `dtype` is given, the dtype) of `input`.

    >>> mint.rand_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    with _on("rand_like", device_of(input, device)):
        wanted = dtype_of_kind("rand_like", dtype, "fV", input.dtype)
        return uniform_from_key(next_key(), input.shape, wanted)


@composite(function=(), mint="randn_like(input, *, dtype=None, device=None)")
def randn_as(input, dtype=None, device=None):
    """As `mint.randn`, in the shape (and, unless `dtype` is given, the dtype) of `input`.

    >>> mint.randn_like(Tensor([1.0, 2.0])).shape
    (2,)
    """
    with _on("randn_like", device_of(input, device)):
        wanted = dtype_of_kind("randn_like", dtype, "fV", input.dtype)
        return normal_from_key(next_key(), input.shape, wanted)


@composite(
    function=(),
    mint=(
        "randint(high, size, *, generator=None, dtype=None, device=None)",
        "randint(low, high, size, *, generator=None, dtype=None, device=None)",
    ),
)
def randint_from(high, size, low=0, generator=None, dtype=None, device=None):
    """Draw integers uniformly from `low` (0) to `high - 1`, in a `dtype` (Int64).

    >>> mint.randint(5, 6, (2,)).asnumpy()
    array([5, 5])
    """
    with _on("randint", device):
        return randint(low, high, size, generator, dtype=dtype)


@composite(
    function=(),
    mint=(
        "randint_like(input, high, *, dtype=None, device=None)",
        "randint_like(input, low, high, *, dtype=None, device=None)",
    ),
)
def randint_as(input, high, low=0, dtype=None, device=None):
    """As `mint.randint`, in the shape (and, unless `dtype` is given, the dtype) of `input`.

    >>> mint.randint_like(Tensor([1, 2]), 1).asnumpy()
    array([0, 0])
    """
    with _on("randint_like", device_of(input, device)):
        bounds("randint_like", low, high)
        wanted = dtype_of_kind("randint_like", dtype, "fiuV", input.dtype)
        return randint_from_key(next_key(), low, high, input.shape, wanted)


@composite(function=(), mint="randperm(n, *, generator=None, dtype=int64)")
def randperm_from(n, generator=None, dtype=dtypes.int64):
    """Return the numbers from 0 to `n - 1` in random order; `n`: an int, at least 0.

    >>> sorted(mint.randperm(3).tolist())
    [0, 1, 2]
    """
    n = int(n) if isinstance(n, Tensor) else n
    kinds.COUNT("randperm", n=n)
    return permutation_from_key(next_key(generator), n, n, dtype_of_kind("randperm", dtype, "fiuV"))


@composite(function=(), mint="normal(mean=0.0, std=1.0, size=None, generator=None)")
def normal_from(mean=0.0, std=1.0, size=None, generator=None):
    """Draw from the normal distribution with `mean` and `std`, numbers or Tensors, in shape `size`.

    Without `size`, in the shape to which the parameters broadcast.

    >>> mint.normal(Tensor([0.0, 9.0]), 1.0).shape
    (2,)
    """
    has_size = size is not None or isinstance(mean, Tensor) or isinstance(std, Tensor)
    require(has_size, "given-mean-std-numbers", "normal", argument="size")
    shape = common_shape("normal", () if size is None else size, mean, std)
    return normal_from_key(next_key(generator), shape, np.dtype(np.float32)) * std + mean


@composite(
    function=(), mint="multinomial(input, num_samples, replacement=False, *, generator=None)"
)
def multinomial_from(input, num_samples, replacement=False, generator=None):
    """As `ops.multinomial`, by default each index at most once: Int64.

    >>> mint.multinomial(Tensor([0.0, 1.0]), 2, True).asnumpy()
    array([1, 1])
    """
    drawn = classes("multinomial", input, num_samples, replacement, generator)
    return cast(drawn, dtypes.int64)


@composite(function=(), tensor="uniform(input, from_=0.0, to=1.0, generator=None)")
def uniform_as(input, from_=0.0, to=1.0, generator=None):
    """Draw uniformly from [from_, to), in the shape and dtype of `input`.

    >>> Tensor([1.0, 2.0]).uniform(3.0, 3.0).asnumpy()
    array([3., 3.], dtype=float32)
    """
    return cast(_spread(input, from_, to, generator), input.dtype)


# tensors filled in place --------------------------------------------------------------------


def _spread(input, low, high, generator):
    known = all(isinstance(bound, (int, float)) for bound in (low, high))
    rule, fits = "at-most-argument-value-dropout", not known or low <= high
    require(fits, rule, "uniform_", from_=low, other="to", upper=high)
    drawn = uniform_from_key(next_key(generator), input.shape, _wide(input))
    return drawn * (high - low) + low


def _wide(input):
    """Return Float32, or Float64 for a Float64 tensor."""
    return np.dtype(np.float64 if input.dtype == dtypes.float64 else np.float32)


def _fill(input, drawn):
    """Write the drawn numbers to the tensor, which keeps its identity and dtype."""
    return input._rebind(cast(drawn, input.dtype)._lift())


# the limit up to which a floating dtype represents every integer
_WHOLE = {"float16": 1 << 11, "bfloat16": 1 << 8, "float32": 1 << 24, "float64": 1 << 53}


@composite(
    tensor="random_(input, from_=0, to=None, *, generator=None)",
    function="random_(input, from_=0, to=None, *, generator=None)",
)
def random_(input, from_=0, to=None, generator=None):
    """Fill the tensor with integers drawn uniformly from [from_, to).

    `to`: by default the largest integer of the dtype; for a floating one, the limit up to which
    every integer is representable ($2^{24}$ in Float32).

    >>> Tensor([1.0, 2.0]).random_(3, 4).asnumpy()
    array([3., 3.], dtype=float32)
    """
    kind = dtypes.to_numpy(input.dtype)
    if to is None:
        to = _WHOLE[kind.name] if kind.name in _WHOLE else np.iinfo(kind).max
    if isinstance(from_, Tensor) or isinstance(to, Tensor):
        low, high = (b.reshape(()) if isinstance(b, Tensor) else b for b in (from_, to))
    else:
        low, high = from_, int(to)
        bounds("random_", low, high)
    return _fill(input, randint_from_key(next_key(generator), low, high, input.shape, kind))


@composite(
    tensor="uniform_(input, from_=0, to=1, *, generator=None)",
    function="uniform_(input, from_=0, to=1, *, generator=None)",
)
def uniform_(input, from_=0, to=1, generator=None):
    """Fill the tensor with numbers drawn uniformly from [from_, to).

    >>> Tensor([1.0, 2.0]).uniform_(3, 3).asnumpy()
    array([3., 3.], dtype=float32)
    """
    return _fill(input, _spread(input, from_, to, generator))


@composite(
    tensor="normal_(input, mean=0, std=1, *, generator=None)",
    function="normal_(input, mean=0, std=1, *, generator=None)",
)
def normal_(input, mean=0, std=1, generator=None):
    """Fill the tensor from the normal distribution with `mean` and standard deviation `std`.

    >>> Tensor([1.0, 2.0]).normal_(3, 0).asnumpy()
    array([3., 3.], dtype=float32)
    """
    return _fill(
        input, normal_from_key(next_key(generator), input.shape, _wide(input)) * std + mean
    )


@composite(
    tensor="exponential_(input, lambd=1, *, generator=None)",
    function="exponential_(input, lambd=1, *, generator=None)",
)
def exponential_(input, lambd=1, generator=None):
    r"""Fill the tensor with numbers of density $\lambda e^{-\lambda x}$.

    >>> bool((Tensor([1.0, 2.0]).exponential_(2.0) > 0).all())
    True
    """
    is_rate = not isinstance(lambd, (int, float)) or lambd > 0
    require(is_rate, "greater-than", "exponential_", lambd=lambd, n=0)
    key = next_key(generator)
    return _fill(input, inverse_cdf_from_key(key, "exponential", input.shape, _wide(input)) / lambd)


@composite(
    tensor="bernoulli_(input, p=0.5, *, generator=None)",
    function="bernoulli_(input, p=0.5, *, generator=None)",
)
def bernoulli_(input, p=0.5, generator=None):
    """Fill the tensor with 1 with probability `p` (a number or Tensor), else 0.

    >>> Tensor([3.0, 4.0]).bernoulli_(Tensor([1.0, 0.0])).asnumpy()
    array([1., 0.], dtype=float32)
    """
    is_chance = not isinstance(p, (int, float)) or 0 <= p <= 1
    require(is_chance, "in-interval", "bernoulli_", p=p, interval="[0, 1]")
    shape = common_shape("bernoulli_", input.shape, p)
    if shape != input.shape:
        raise rejection("fit-shape", "bernoulli_", p=np.shape(p), shape=input.shape)
    return _fill(
        input, bernoulli_from_key(next_key(generator), p, shape, dtypes.to_numpy(input.dtype))
    )
