"""Random integers: uniform, permutations, events and counts.

Seeds are as in `sporax.ops.random.continuous`.
"""

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.casting import cast
from sporax.ops.declare import Arrays, composite
from sporax.ops.indexing.gather import where
from sporax.ops.random.draws import (
    bernoulli_from_key,
    bits_from_key,
    choice_with_mask_from_key,
    common_shape,
    dtype_of_kind,
    next_key,
    permutation_from_key,
    poisson_from_key,
    randint_from_key,
    shape_tensor,
    sizes,
    source_of,
)
from sporax.ops.shape.creation import arange

# uniform ------------------------------------------------------------------------------------


def bounds(name, low, high):
    """Raise unless the bounds are ints with values between them."""
    kinds.INT(name, low=low, high=high)
    require(low < high, "less-than", name, low=low, other="high", high=high)


@composite()
def randint(low, high, size, seed=None, *, dtype=None):
    """Draw integers uniformly from `low` to `high - 1`, in an integer `dtype` (Int64).

    >>> ops.randint(5, 6, (2,)).asnumpy()
    array([5, 5])
    """
    bounds("randint", low, high)
    wanted = dtype_of_kind("randint", dtype, "iu", dtypes.int64)
    return randint_from_key(next_key(seed), low, high, sizes("randint", size), wanted)


@composite()
def randint_like(input, low, high, seed=None, *, dtype=None):
    """As `randint`, in the shape (and, unless `dtype` is given, the dtype) of `input`.

    >>> ops.randint_like(Tensor([1, 2]), 5, 6).asnumpy()
    array([5, 5])
    """
    bounds("randint_like", low, high)
    wanted = dtype_of_kind("randint_like", dtype, "iu", input.dtype)
    return randint_from_key(next_key(seed), low, high, input.shape, wanted)


@composite(function=(), primitive="UniformInt(seed=0, seed2=0)(shape, minval, maxval)")
def integers_of_class(itself, shape, minval, maxval, seed=0, seed2=0):
    """Draw Int32 integers uniformly from `minval` to `maxval - 1`.

    >>> ops.UniformInt()((2, 3), Tensor(1, ms.int32), Tensor(5, ms.int32)).shape
    (2, 3)
    """
    key = next_key(source_of(itself, seed, seed2))
    return randint_from_key(key, minval, maxval, sizes("UniformInt", shape), np.dtype(np.int32))


@composite(function=(), primitive="NonDeterministicInts(dtype=int64)(shape)")
def words_of_class(shape, dtype=dtypes.int64):
    """Draw integers uniformly from all values of `dtype`; they repeat after the same `set_seed`.

    >>> ops.NonDeterministicInts()(Tensor([2, 3])).shape
    (2, 3)
    """
    wanted = dtype_of_kind("NonDeterministicInts", dtype, "i", error=TypeError)
    return bits_from_key(next_key(), sizes("NonDeterministicInts", shape), wanted)


# permutations -------------------------------------------------------------------------------


@composite()
def randperm(n, seed=0, offset=0, dtype=dtypes.int64):
    """Return the numbers from 0 to `n - 1` in random order; n: an int, or a Tensor of one.

    `seed`, `offset`: ints for a separate sequence; if both are 0, `set_seed` governs.

    >>> sorted(ops.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    n = n.item() if isinstance(n, Tensor) and n.size == 1 else n
    kinds.POSITIVE_INT("randperm", n=n)
    wanted = dtype_of_kind("randperm", dtype, "fiuV")
    return permutation_from_key(next_key(joined(seed, offset)), n, n, wanted)


def joined(seed, offset):
    """Join two ints to one seed, None for two zeros; return anything else unchanged."""
    return (offset << 32 | seed) or None if isinstance(seed, int) else seed


@composite(function=(), primitive="RandpermV2(seed=0, offset=0, dtype=int64)(n)")
def permutation_of_class(itself, n, seed=0, offset=0, dtype=dtypes.int64):
    """As `randperm`.

    >>> sorted(ops.RandpermV2()(3).tolist())
    [0, 1, 2]
    """
    return randperm(n, source_of(itself, seed, offset), dtype=dtype)


@composite(function=(), primitive="Randperm(max_length=1, pad=-1, dtype=int32)(n)")
def padded_permutation(n, max_length=1, pad=-1, dtype=dtypes.int32):
    """Return the numbers from 0 to n - 1 shuffled, then `pad` up to `max_length`; n: a Tensor.

    >>> sorted(ops.Randperm(4)(Tensor([3], ms.int32)).tolist())
    [-1, 0, 1, 2]
    """
    n = n.reshape(())
    drawn = permutation_from_key(next_key(), n, max_length, dtypes.to_numpy(dtype))
    return cast(where(arange(max_length) < n, drawn, pad), dtype)


@composite()
def shuffle(x, seed=None):
    """Return the rows of `x` in random order.

    >>> sorted(ops.shuffle(Tensor([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    if not x.ndim:
        return x
    n = x.shape[0]
    return x[permutation_from_key(next_key(seed), n, n, np.dtype(np.int64))]


@composite(function=(), primitive="RandomShuffle(seed=0, seed2=0)(x)")
def shuffle_of_class(itself, x, seed=0, seed2=0):
    """As `shuffle`.

    >>> sorted(ops.RandomShuffle()(Tensor([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    return shuffle(x, source_of(itself, seed, seed2))


@composite()
def choice_with_mask(input_x, count=256, seed=None) -> Arrays:
    """Return the indices of `count` random nonzero elements, each at most once.

    Returns indices, Int32 `(count, ndim)`, and Bool `(count,)`: True if the index is valid. If
    there are fewer nonzero elements, the remaining entries are 0 and False.

    >>> index, valid = ops.choice_with_mask(Tensor([False, True]), 2)
    >>> index.tolist(), valid.tolist()
    ([[1], [0]], [True, False])
    """
    require(kinds.POSITIVE_INT.accepts(count), "positive-int", "choice_with_mask", count=count)
    return choice_with_mask_from_key(next_key(seed), input_x, count)


@composite(function=(), primitive="RandomChoiceWithMask(count=256, seed=0, seed2=0)(input_x)")
def choice_of_class(itself, input_x, count=256, seed=0, seed2=0) -> Arrays:
    """As `choice_with_mask`.

    >>> index, mask = ops.RandomChoiceWithMask(2)(Tensor([True, False, True]))
    >>> index.shape, mask.asnumpy()
    ((2, 1), array([ True,  True]))
    """
    fits = count * input_x.ndim < 2**31
    require(fits, "count-of-indices", itself.name, argument="count", ndim=input_x.ndim, got=count)
    seeds = seed % 2**32, seed2 % 2**32  # any numbers, in MindSpore
    return choice_with_mask(input_x, count, source_of(itself, *seeds))


# events and counts --------------------------------------------------------------------------


@composite(
    mint="bernoulli(input, *, generator: seed = None)",
    tensor="bernoulli(input, *, generator: seed = None)",
    function=("bernoulli", "bernoulli_ext(input, *, generator: seed = None)"),
)
def bernoulli(input, p=None, seed=None):
    """Draw 1 with a probability, else 0, in the shape and dtype of `input`.

    The probabilities are `p`, a number or Tensor, if it is given, else `input` itself.

    >>> ops.bernoulli(Tensor([0.0, 1.0])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    chances = input if p is None else p
    is_chance = not isinstance(chances, (int, float)) or 0 <= chances <= 1
    require(is_chance, "in-interval", "bernoulli", p=chances, interval="[0, 1]")
    return bernoulli_from_key(next_key(seed), chances, input.shape, dtypes.to_numpy(input.dtype))


@composite(function=(), primitive="Bernoulli(seed=-1, offset=0)(x, p=0.5)")
def bernoulli_of_class(itself, x, p=0.5, seed=-1, offset=0):
    """Draw 1 with probability `p`, else 0, in the shape and dtype of `x`; -1 means no `seed`.

    >>> ops.Bernoulli()(Tensor([1, 2, 3]), Tensor([1.0, 0.0, 1.0])).asnumpy()
    array([1, 0, 1])
    """
    return bernoulli(x, p, source_of(itself, max(seed, 0), offset))


def _rate(name, rate):
    require(isinstance(rate, Tensor), "rate-tensor", name, got=rate)
    is_real = rate.dtype != dtypes.bool_ and not rate.is_complex()
    require(is_real, "rate-real-numbers", name, got=rate.dtype)
    return rate


@composite()
def poisson(shape, mean, seed=None):
    r"""Draw counts $k$ with probability $e^{-\mu} \mu^k / k!$, Float32; `mean`: the Tensor $\mu$.

    The result has the shape to which `shape` and `mean` broadcast.

    >>> ops.poisson((4, 1), Tensor([5.0, 10.0])).shape
    (4, 2)
    """
    shape = common_shape("poisson", shape, _rate("poisson", mean))
    return poisson_from_key(next_key(seed), mean, shape, np.dtype(np.float32))


@composite(function=(), primitive="Poisson(seed=0, seed2=0)(shape, mean)")
def poisson_of_class(itself, shape, mean, seed=0, seed2=0):
    """As `poisson`, Int32.

    >>> ops.Poisson()((2, 3), Tensor([4.0])).shape
    (2, 3)
    """
    return cast(poisson(shape, mean, source_of(itself, seed, seed2)), dtypes.int32)


@composite()
def random_poisson(shape, rate, seed=None, dtype=dtypes.float32):
    """As `poisson`: for each element of `rate`, counts in `shape` (a Tensor), in any real `dtype`.

    >>> ops.random_poisson(Tensor([2, 2]), Tensor([0.5, 3.0])).shape
    (2, 2, 2)
    """
    wanted = dtype_of_kind("random_poisson", dtype, "fiuV", error=TypeError)
    shape = shape_tensor("random_poisson", shape) + _rate("random_poisson", rate).shape
    return poisson_from_key(next_key(seed), rate, shape, wanted)


@composite(function=(), primitive="RandomPoisson(seed=0, seed2=0, dtype=int64)(shape, rate)")
def random_poisson_of_class(itself, shape, rate, seed=0, seed2=0, dtype=dtypes.int64):
    """As `random_poisson`.

    >>> ops.RandomPoisson()(Tensor([2, 3]), Tensor([4.0, 5.0])).shape
    (2, 3, 2)
    """
    return random_poisson(shape, rate, source_of(itself, seed, seed2), dtype)
