"""Random numbers.

Each function draws a key from the one state that `set_seed` sets; a draw is then an ordinary
operation on that key. So a captured function draws anew at every call, and dynamic code, `jit` and
the immediate executor draw the same numbers after the same seed.
"""

import jax
import jax.numpy as jnp
import numpy as np

from sporax.core import dtype as dtypes
from sporax.core.random import state
from sporax.core.tensor import Tensor
from sporax.ops.activation import floats_only
from sporax.ops.declare import Array, composite, op

# keys ---------------------------------------------------------------------------------------


@op(function=(), differentiable=False)
def advance(state: Array):
    """A key, and the state after it: (key, key, count) with the count one higher."""
    key = jax.random.fold_in(state[:2], state[2])
    return key, state + jnp.array([0, 0, 1], jnp.uint32)


def next_key(seed=None):
    """A new key from the random state (that of `seed`, an int, if given), which moves on."""
    if seed is not None and not isinstance(seed, int):
        raise TypeError(f"'seed' must be an int or None, but got {type(seed).__name__}.")
    current = state.on_device(seed)
    key, moved = advance(current)
    current._rebind(moved._value)
    return key


def _sizes(name, size):
    """A shape given as an int, a tuple, a list or a Tensor."""
    if isinstance(size, Tensor):
        size = size.tolist()
    sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in sizes):
        raise TypeError(
            f"For '{name}', the shape must be an int or a tuple of ints, but got {size!r}."
        )
    if any(n < 0 for n in sizes):
        raise ValueError(f"For '{name}', the sizes of a shape must be at least 0, but got {sizes}.")
    return tuple(int(n) for n in sizes)


def _dtype(name, dtype, kinds, default=dtypes.float32):
    """The NumPy dtype for `dtype`, whose kind must be one of `kinds`."""
    wanted = dtypes.to_numpy(default if dtype is None else dtype)
    if wanted.kind not in kinds:
        word = "an integer" if "i" in kinds else "a floating"
        raise ValueError(f"For '{name}', 'dtype' must be {word} dtype, but got {dtype}.")
    return wanted


# draws --------------------------------------------------------------------------------------


def _unit(key, shape, dtype):
    """Uniform in [0, 1), drawn in Float32 at least."""
    return jax.random.uniform(key, shape, jnp.promote_types(dtype, jnp.float32))


@op(function=(), differentiable=False)
def draw_uniform(key: Array, shape, dtype):
    """Uniform in [0, 1)."""
    return _unit(key, shape, dtype).astype(dtype)


@op(function=(), differentiable=False)
def draw_normal(key: Array, shape, dtype):
    """Normal around 0 with deviation 1."""
    return jax.random.normal(key, shape, jnp.promote_types(dtype, jnp.float32)).astype(dtype)


@op(function=(), differentiable=False)
def draw_integers(key: Array, low: Array, high: Array, shape, dtype):
    """Integers in [low, high), all equally likely up to one part in 2**64 of their number."""
    bits = jax.random.bits(key, shape, jnp.uint64)
    low, high = low.astype(jnp.int64), high.astype(jnp.int64)
    span = jnp.maximum(high - low, 1).astype(jnp.uint64)
    return (low + (bits % span).astype(jnp.int64)).astype(dtype)


@op(function=(), differentiable=False)
def draw_permutation(key: Array, n, dtype):
    """The numbers from 0 to n - 1 in random order."""
    return jnp.argsort(jax.random.bits(key, (n,), jnp.uint64)).astype(dtype)


@op(function=(), differentiable=False)
def draw_bernoulli(key: Array, probability: Array, shape, dtype):
    """1 with a probability, else 0."""
    return (_unit(key, shape, probability.dtype) < probability).astype(dtype)


@op(function=(), differentiable=False)
def draw_classes(key: Array, weights: Array, count, replacement):
    """`count` indices for each row of `weights`, each as likely as its weight says: Int32."""
    if not replacement and count > weights.shape[-1]:
        raise ValueError(f"'num_samples' must be at most {weights.shape[-1]}, but got {count}")
    if not replacement:  # the largest of the logarithms, shaken by Gumbel noise
        noise = -jnp.log(-jnp.log(_unit(key, weights.shape, weights.dtype)))
        return jnp.argsort(-(jnp.log(weights) + noise), -1)[..., :count].astype(jnp.int32)
    sums = jnp.cumsum(weights, -1)
    at = _unit(key, (*weights.shape[:-1], count), weights.dtype) * sums[..., -1:]
    return (sums[..., None, :] <= at[..., None]).sum(-1).astype(jnp.int32)


@op(function=(), check=lambda x, *rest: floats_only("Dropout")(x))
def drop(input: Array, key: Array, p: Array, whole_channels=False):
    """Elements (or whole channels) set to 0 with probability `p`, the others over 1 - p; and
    where they were kept."""
    shape = input.shape[:2] + (1,) * (input.ndim - 2) if whole_channels else input.shape
    kept = _unit(key, shape, jnp.float32) >= p
    scale = (1 / (1 - p)).astype(input.dtype)
    return jnp.where(kept, input * scale, jnp.zeros((), input.dtype)), kept.astype(input.dtype)


# functions ----------------------------------------------------------------------------------


@composite()
def standard_normal(shape, seed=None):
    """Float32 numbers, normal around 0 with deviation 1.

    `shape`: a tuple of ints. `seed`: an int for numbers of their own, else `set_seed` governs.

    >>> ops.standard_normal((2, 3)).shape
    (2, 3)
    """
    return draw_normal(next_key(seed), _sizes("StandardNormal", shape), np.dtype(np.float32))


def _broadcast(name, shape, *bounds):
    given = [b.shape for b in bounds if isinstance(b, Tensor)]
    return tuple(np.broadcast_shapes(_sizes(name, shape), *given))


@composite()
def normal(shape, mean, stddev, seed=None):
    """Float32 numbers, normal around `mean` with deviation `stddev` (numbers or Tensors).

    The result has the shape in which `shape` and theirs broadcast together.

    >>> ops.normal((2, 3), 0.0, 1.0).shape
    (2, 3)
    """
    shape = _broadcast("normal", shape, mean, stddev)
    return draw_normal(next_key(seed), shape, np.dtype(np.float32)) * stddev + mean


@composite()
def uniform(shape, minval, maxval, seed=None, dtype=dtypes.float32):
    """Numbers uniform in [minval, maxval) (numbers or Tensors), integers where `dtype` is Int32.

    The result has the shape in which `shape` and theirs broadcast together.

    >>> ops.uniform((2, 3), Tensor(0.0), Tensor(1.0)).shape
    (2, 3)
    """
    shape = _broadcast("uniform", shape, minval, maxval)
    wanted = _dtype("uniform", dtype, "fiV")
    if wanted.kind == "i":
        return draw_integers(next_key(seed), minval, maxval, shape, wanted)
    return draw_uniform(next_key(seed), shape, wanted) * (maxval - minval) + minval


def _all_sizes(name, size):
    """A shape given as ints or as one tuple; without any, one element."""
    given = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list, Tensor)) else size
    return _sizes(name, given) or (1,)


@composite(mint=True)
def randn(*size, dtype=None, seed=None):
    """Numbers normal around 0 with deviation 1, in a floating `dtype` (Float32).

    `size`: ints, or one tuple of ints; none for shape (1,).

    >>> ops.randn(2, 3).shape
    (2, 3)
    """
    return draw_normal(next_key(seed), _all_sizes("randn", size), _dtype("randn", dtype, "fV"))


@composite(mint=True)
def rand(*size, dtype=None, seed=None):
    """Numbers uniform in [0, 1), in a floating `dtype` (Float32); `size` as in `randn`.

    >>> ops.rand(2, 3).shape
    (2, 3)
    """
    return draw_uniform(next_key(seed), _all_sizes("rand", size), _dtype("rand", dtype, "fV"))


def _bounds(name, low, high):
    for word, bound in (("low", low), ("high", high)):
        if not isinstance(bound, int) or isinstance(bound, bool):
            raise TypeError(
                f"For '{name}', '{word}' must be an int, but got {type(bound).__name__}."
            )
    if low >= high:
        raise ValueError(f"For '{name}', 'low' must be less than 'high', but got {low} and {high}.")


@composite()
def randint(low, high, size, seed=None, *, dtype=None):
    """Integers from `low` to `high - 1`, all equally likely, in an integer `dtype` (Int64).

    >>> ops.randint(5, 6, (2,)).asnumpy()
    array([5, 5])
    """
    _bounds("randint", low, high)
    wanted = _dtype("randint", dtype, "iu", dtypes.int64)
    return draw_integers(next_key(seed), low, high, _sizes("randint", size), wanted)


@composite(mint="randn_like")
def randn_like(input, seed=None, *, dtype=None):
    """As `randn`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
    wanted = _dtype("randn_like", dtype, "fV", input.dtype)
    return draw_normal(next_key(seed), input.shape, wanted)


@composite(mint="rand_like")
def rand_like(input, seed=None, *, dtype=None):
    """As `rand`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
    wanted = _dtype("rand_like", dtype, "fV", input.dtype)
    return draw_uniform(next_key(seed), input.shape, wanted)


@composite()
def randint_like(input, low, high, seed=None, *, dtype=None):
    """As `randint`, in the shape (and, unless `dtype` is given, the dtype) of `input`."""
    _bounds("randint_like", low, high)
    wanted = _dtype("randint_like", dtype, "iu", input.dtype)
    return draw_integers(next_key(seed), low, high, input.shape, wanted)


@composite(mint=True)
def randperm(n, seed=0, offset=0, dtype=dtypes.int64):
    """The numbers from 0 to `n - 1` in random order.

    `seed`: an int for numbers of their own; 0 leaves them to `set_seed`.

    >>> sorted(ops.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    if not isinstance(n, int) or n < 1:
        raise ValueError(f"For 'randperm', 'n' must be an int greater than 0, but got {n!r}.")
    return draw_permutation(next_key(seed or None), n, _dtype("randperm", dtype, "iuf"))


@composite(mint=True, tensor="bernoulli")
def bernoulli(input, p=None, seed=None):
    """1 with a probability, else 0, in the shape and dtype of `input`.

    The probabilities are `p`, a number or Tensor, if it is given, else `input` itself.

    >>> ops.bernoulli(Tensor([0.0, 1.0])).asnumpy()
    array([0., 1.], dtype=float32)
    """
    chances = input if p is None else p
    if isinstance(chances, (int, float)) and not 0 <= chances <= 1:
        raise ValueError(f"For 'bernoulli', 'p' must be in [0, 1], but got {p}.")
    return draw_bernoulli(next_key(seed), chances, input.shape, dtypes.to_numpy(input.dtype))


@composite(mint="multinomial(input, num_samples, replacement=False)", tensor="multinomial")
def multinomial(input, num_samples, replacement=True, seed=None):
    """`num_samples` indices for each row of `input`, as likely as the row's weights say: Int32.

    >>> ops.multinomial(Tensor([0.0, 1.0]), 2).asnumpy()
    array([1, 1], dtype=int32)
    """
    return draw_classes(next_key(seed), input, num_samples, replacement)


@composite()
def shuffle(x, seed=None):
    """The rows of `x` in random order.

    >>> sorted(ops.shuffle(Tensor([1, 2, 3])).tolist())
    [1, 2, 3]
    """
    return x[draw_permutation(next_key(seed), x.shape[0], np.dtype(np.int64))]


# dropout ------------------------------------------------------------------------------------


def _chance(p):
    if not isinstance(p, (int, float)) or isinstance(p, bool) or not 0 <= p < 1:
        raise ValueError(f"For 'Dropout', 'p' must be a number in [0, 1), but got {p!r}.")


@composite(mint="nn.functional.dropout(input, p=0.5, training=True)")
def dropout(input, p=0.5, training=True, seed=None):
    r"""In training, each element is 0 with probability `p`, else $x / (1 - p)$; else `input`.

    (Srivastava et al., 2014.) `p` is in [0, 1).

    >>> ops.dropout(Tensor([1.0, 2.0]), training=False).asnumpy()
    array([1., 2.], dtype=float32)
    """
    _chance(p)
    return drop(input, next_key(seed), p)[0] if training and p else input


@composite()
def dropout2d(input, p=0.5, training=True):
    """As `dropout`, for whole channels: the first two axes of `input`.

    >>> ops.dropout2d(ops.ones((1, 2, 3, 3)), training=False).shape
    (1, 2, 3, 3)
    """
    _chance(p)
    return drop(input, next_key(), p, True)[0] if training and p else input


@composite(function=(), primitive="Dropout(keep_prob=0.5, Seed0=0, Seed1=0)(x)")
def dropout_and_mask(x, keep_prob=0.5, Seed0=0, Seed1=0):
    """`dropout`, and where elements were kept."""
    if not 0 < keep_prob <= 1:
        raise ValueError(f"For 'Dropout', 'keep_prob' must be in (0, 1], but got {keep_prob}.")
    return drop(x, next_key(_own_seed(Seed0, Seed1)), 1 - keep_prob)


# the classes that only draw -----------------------------------------------------------------


def _own_seed(seed, seed2):
    """An operation's own seed made of two; 0 for both leaves it to `set_seed`."""
    return (seed2 << 32 | seed) or None


@composite(function=(), primitive=(
    "StandardNormal(seed=0, seed2=0)(shape)",
))  # fmt: skip
def normal_of_class(shape, seed=0, seed2=0):
    """As `standard_normal`."""
    return standard_normal(shape, _own_seed(seed, seed2))


@composite(function=(), primitive="UniformReal(seed=0, seed2=0)(shape)")
def uniform_of_class(shape, seed=0, seed2=0):
    """Float32 numbers, uniform in [0, 1)."""
    return rand(_sizes("UniformReal", shape), seed=_own_seed(seed, seed2))


@composite(function=(), primitive="UniformInt(seed=0, seed2=0)(shape, minval, maxval)")
def integers_of_class(shape, minval, maxval, seed=0, seed2=0):
    """Int32 numbers from `minval` to `maxval - 1`."""
    key = next_key(_own_seed(seed, seed2))
    return draw_integers(key, minval, maxval, _sizes("UniformInt", shape), np.dtype(np.int32))
