"""Draws from one distribution each, as operations on a key; and the source of the keys.

A function that draws takes a key from a generator, whose state advances; the draw is then an
ordinary operation on that key. So a captured function draws anew on every call, and dynamic code,
`jit` and the immediate executor draw the same numbers after the same seed.
"""

import functools
import weakref

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special

from sporax._src.core import dtype as dtypes
from sporax._src.core.interruptions import uninterrupted
from sporax._src.core.random import Generator, default_generator
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import updating
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.ops.declare import Array, Arrays, op
from sporax.ops.operand_checks import floats_only

# keys ---------------------------------------------------------------------------------------


@op(function=(), differentiable=False)
def advance_state(state: Array) -> Arrays:
    """Return a key, and the next state: (key, key, count) with the count one higher."""
    key = jax.random.fold_in(state[:2], state[2])
    return key, state + jnp.array([0, 0, 1], jnp.uint32)


@op(function=(), differentiable=False)
def step_state(state: Array, step: Array) -> Arrays:
    """Return the seed of a generator's state, its count, and the state after `step` more draws."""
    words = state.astype(jnp.int64)
    moved = state.at[2].add(step.reshape(()).astype(jnp.uint32))
    return words[0] << 32 | words[1], words[2], moved


@uninterrupted
def _step(self, step):
    """Return (seed, count), Tensors, for an operation of `step` draws; advance the state."""
    with updating:
        seed, count, moved = step_state(self.state, step)
        self.state._rebind(moved._value)
    return seed, count


setattr(Generator, _step.__name__, _step)  # called by MindSpore's own random layers


@op(function=(), differentiable=False)
def split_key(key: Array) -> Arrays:
    """Split a key into two, for operations that need two."""
    first, second = jax.random.split(key)
    return first, second


def next_key(source=None):
    """Return a new key from a generator, whose state advances.

    `source`: a Generator, a seed for the operation (an int, at least 0), or None for the default
    generator.
    """
    if source is not None and not isinstance(source, Generator):
        require(kinds.INT.accepts(source), "random-operation-seed-int", got=source)
        require(source >= 0, "random-operation-seed-at-least", got=source)
        source = _generator_of_seed(source)
    return _advanced(source or default_generator)


@uninterrupted
def _advanced(generator):
    with updating:  # two threads must not draw from the same state
        state = generator.state
        key, moved = advance_state(state)
        if not moved.is_meta:
            state._rebind(moved._value)
    return key


def source_of(primitive, seed, seed2=0):
    """Return the generator of a Primitive with two seeds; None, the default one, if both are 0."""
    fits = seed >= 0 and seed2 >= 0
    require(fits, "seeds-at-least-0", primitive.name, got=seed, seed2=seed2)
    if not (seed or seed2):
        return None
    seed |= seed2 << 32
    entry = _of_primitives.get(primitive)
    if entry is None or entry[0] != seed:
        entry = _of_primitives[primitive] = seed, _own_generator(seed)
    return entry[1]


_of_primitives = weakref.WeakKeyDictionary()  # a Primitive -> (its seed, its generator)


@functools.cache
def _generator_of_seed(seed):
    """Return the generator of all calls with that seed: they draw from one sequence, so that they
    differ, and a second run repeats them."""
    return _own_generator(seed)


def _own_generator(seed):
    """Create a generator that begins at an operation's seed combined with the global one."""
    return Generator._following(lambda of_all: seed ^ (of_all or 0) * 0x9E3779B97F4A7C15)


# arguments ----------------------------------------------------------------------------------


def sizes(name, size):
    """Convert an int, a tuple, a list or a Tensor to a tuple of ints."""
    if isinstance(size, Tensor):
        size = size.tolist()
    shape = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    are_sizes = all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in shape)
    require(are_sizes, "shape-int-tuple-ints", name, got=size)
    require(all(n >= 0 for n in shape), "sizes-at-least-0", name, got=shape)
    return tuple(int(n) for n in shape)


def all_sizes(name, size):
    """Convert separate ints or one tuple to a tuple of ints; (1,) if there are none."""
    shape = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list, Tensor)) else size
    return sizes(name, shape) or (1,)


def shape_tensor(name, shape):
    """Convert a 1-d Tensor, the only supported form, to a tuple of ints."""
    require(isinstance(shape, Tensor), "tensor-ints", name, shape=shape)
    require(shape.ndim == 1, "vector", name, argument="shape", shape=shape.shape)
    return sizes(name, shape)


def common_shape(name, shape, *parameters):
    """Return the shape to which `shape` and the parameters broadcast."""
    shapes = [p.shape for p in parameters if isinstance(p, Tensor)]
    shape = sizes(name, shape)
    try:
        return tuple(np.broadcast_shapes(shape, *shapes))
    except ValueError:
        raise rejection(
            "shapes-parameters-broadcast-together", name,
            shape=shape, names=", ".join(map(str, shapes)),
        ) from None  # fmt: skip


_KINDS = {
    "fV": "a-floating-dtype", "iu": "an-integer-dtype", "i": "a-signed-dtype",
    "fiuV": "a-real-dtype",
}  # fmt: skip


def dtype_of_kind(
    name, dtype, kinds, default: dtypes.Type = dtypes.float32, error: type[Exception] = ValueError
):
    """Return the NumPy dtype for `dtype`, whose kind must be one of `kinds`."""
    wanted = dtypes.to_numpy(default if dtype is None else dtype)
    if wanted.kind not in kinds:
        shown = default if dtype is None else dtype
        raise rejection("must-be-kind", name, error, dtype=shown, kind=message(_KINDS[kinds]))
    return wanted


# continuous laws ----------------------------------------------------------------------------


def _unit(key, shape, dtype):
    """Draw uniformly from [0, 1), in at least Float32."""
    return jax.random.uniform(key, shape, jnp.promote_types(dtype, jnp.float32))


def _inside(key, shape, dtype):
    """Draw uniformly from (0, 1): `_unit`'s numbers plus half the distance between two of them."""
    drawn = _unit(key, shape, dtype)
    return drawn + drawn.dtype.type(jnp.finfo(drawn.dtype).eps / 2)


@op(function=(), differentiable=False)
def uniform_from_key(key: Array, shape, dtype):
    """Draw uniformly from [0, 1)."""
    return _unit(key, shape, dtype).astype(dtype)


@op(function=(), differentiable=False)
def normal_from_key(key: Array, shape, dtype):
    """Draw from the standard normal distribution."""
    return jax.random.normal(key, shape, jnp.promote_types(dtype, jnp.float32)).astype(dtype)


# distribution -> its quantile function
_QUANTILES = {
    "exponential": lambda u: -jnp.log1p(-u),
    "laplace": lambda u: jnp.where(u < 0.5, jnp.log(2 * u), -jnp.log(2 * (1 - u))),
    "cauchy": lambda u: jnp.tan(jnp.pi * (u - 0.5)),
    "gumbel": lambda u: -jnp.log(-jnp.log(u)),
    "logistic": lambda u: jnp.log(u) - jnp.log1p(-u),
}


@op(function=(), differentiable=False)
def inverse_cdf_from_key(key: Array, distribution, shape, dtype):
    """Draw from the standard distribution 'exponential', 'laplace', 'cauchy', 'gumbel',
    'logistic'."""
    return _QUANTILES[distribution](_inside(key, shape, dtype)).astype(dtype)


@op(function=(), differentiable=False)
def truncated_normal_from_key(key: Array, low: Array, high: Array, shape, dtype):
    """Draw from the standard normal distribution truncated to [low, high]."""
    low, high = low.astype(jnp.float64), high.astype(jnp.float64)
    mirrored = low > 0  # the distribution function is precise in the lower tail
    a, b = jnp.where(mirrored, -high, low), jnp.where(mirrored, -low, high)
    below, above = special.ndtr(a), special.ndtr(b)
    drawn = special.ndtri(below + _inside(key, shape, jnp.float64) * (above - below))
    drawn = jnp.clip(drawn, a, b)
    return jnp.where(mirrored, -drawn, drawn).astype(dtype)


@op(function=(), differentiable=False)
def gamma_from_key(key: Array, alpha: Array, shape, dtype):
    """Draw from the gamma distribution with shape `alpha`, rate 1 (Marsaglia and Tsang, 2000)."""
    wide = jnp.promote_types(dtype, jnp.float32)
    return jax.random.gamma(key, alpha.astype(wide), shape, wide).astype(dtype)


# discrete laws ------------------------------------------------------------------------------


@op(function=(), differentiable=False)
def poisson_from_key(key: Array, rate: Array, shape, dtype):
    """Draw from the Poisson distribution with mean `rate`."""
    rate = rate.astype(jnp.promote_types(rate.dtype, jnp.float32))
    return jax.random.poisson(key, rate, shape, jnp.int64).astype(dtype)


@op(function=(), differentiable=False)
def randint_from_key(key: Array, low: Array, high: Array, shape, dtype):
    """Draw integers from [low, high), uniform up to one part in 2**64 of their number."""
    bits = jax.random.bits(key, shape, jnp.uint64)
    low, high = low.astype(jnp.int64), high.astype(jnp.int64)
    span = jnp.maximum(high - low, 1).astype(jnp.uint64)
    return (low + (bits % span).astype(jnp.int64)).astype(dtype)


@op(function=(), differentiable=False)
def bits_from_key(key: Array, shape, dtype):
    """Draw integers uniformly from all values of a dtype."""
    dtype = np.dtype(dtype)
    bits = jax.random.bits(key, shape, np.dtype(f"u{dtype.itemsize}"))
    return jax.lax.bitcast_convert_type(bits, dtype)


@op(function=(), differentiable=False)
def permutation_from_key(key: Array, n: Array, length, dtype):
    """Return the numbers from 0 to n - 1 shuffled; then, up to `length`, the others in order."""
    bits = jax.random.bits(key, (length,), jnp.uint64) >> 1
    last = jnp.uint64(1 << 63) + jnp.arange(length, dtype=jnp.uint64)
    order = jnp.argsort(jnp.where(jnp.arange(length) < n, bits, last))
    return order.astype(dtype)


@op(function=(), differentiable=False)
def bernoulli_from_key(key: Array, probability: Array, shape, dtype):
    """Draw 1 with a probability, else 0."""
    return (_unit(key, shape, probability.dtype) < probability).astype(dtype)


def _gumbel(key, shape, dtype):
    return _QUANTILES["gumbel"](_inside(key, shape, dtype))


@op(function=(), differentiable=False)
def categorical_from_key(key: Array, weights: Array, count, replacement):
    """Draw `count` indices for each row of `weights`, weighted by it: Int32."""
    weights = weights.astype(jnp.promote_types(weights.dtype, jnp.float32))
    classes = weights.shape[-1]
    fits = replacement or count <= classes
    require(fits, "at-most-argument-value-draws", num_samples=count, shape=classes)
    if not replacement:  # the largest log-weights plus Gumbel noise
        noise = _gumbel(key, weights.shape, weights.dtype)
        return jnp.argsort(-(jnp.log(weights) + noise), -1)[..., :count].astype(jnp.int32)
    sums = jnp.cumsum(weights, -1)
    points = _unit(key, (*weights.shape[:-1], count), weights.dtype) * sums[..., -1:]
    return (sums[..., None, :] <= points[..., None]).sum(-1).astype(jnp.int32)


@op(function=(), differentiable=False)
def choice_with_mask_from_key(key: Array, mask: Array, count) -> Arrays:
    """Return indices of `count` random nonzero elements, Int32 (count, ndim); valid rows."""
    flat = (mask != 0).ravel()
    bits = jax.random.bits(key, flat.shape, jnp.uint64) >> 1
    order = jnp.argsort(jnp.where(flat, bits, jnp.uint64(1 << 63)))[:count]
    order = jnp.pad(order, (0, count - order.size))
    valid = jnp.arange(count) < flat.sum()
    indices = jnp.stack(jnp.unravel_index(order, mask.shape), -1)
    return jnp.where(valid[:, None], indices, 0).astype(jnp.int32), valid


# distribution -> the probability of class k of n
_PROBABILITIES = {
    "uniform": lambda k, n: jnp.full(k.shape, 1 / n, jnp.float32),
    "log_uniform": lambda k, n: jnp.log1p(1 / (k + jnp.float32(1))) / jnp.log1p(jnp.float32(n)),
}


@op(function=(), differentiable=False)
def candidates_from_key(key: Array, wanted: Array, count, unique, n, distribution, avoid) -> Arrays:
    """Draw `count` of `n` classes; also return the expected counts of `wanted`, and of those drawn.

    `unique`: draws again until all are different; these draws are counted, too. `avoid`: never
    draws one of `wanted`. The distribution of class k is 'uniform', or 'log_uniform': $\\ln(1 + 1 /
    (k + 1)) / \\ln(n + 1)$.
    """
    likely = _PROBABILITIES[distribution](jnp.arange(n), n)
    hits = jnp.zeros(n, bool)
    hits = hits.at[wanted.ravel()].set(True) if avoid else hits
    weights = jnp.where(hits, 0, likely)
    choice, gaps = jax.random.split(key)
    tries = jnp.float32(count)
    if unique:
        _, drawn = jax.lax.top_k(jnp.log(weights) + _gumbel(choice, (n,), np.float32), count)
        seen = jnp.where(hits, likely, 0).sum() + jnp.cumsum(weights[drawn]) - weights[drawn]
        again = jnp.log(_inside(gaps, (count,), np.float32)) / jnp.log(jnp.minimum(seen, 1 - 1e-6))
        tries = tries + jnp.floor(again).sum()
    else:
        sums = jnp.cumsum(weights)
        points = _unit(choice, (count,), np.float32) * sums[-1]
        drawn = jnp.searchsorted(sums, points, side="right")

    def expected(classes):
        p = _PROBABILITIES[distribution](classes, n)
        return jnp.where(tries == count, p * count, -jnp.expm1(tries * jnp.log1p(-p)))

    drawn = drawn.astype(wanted.dtype)
    return drawn, expected(wanted), expected(drawn)


# dropout ------------------------------------------------------------------------------------


@op(function=(), check=lambda x, *_: floats_only("Dropout")(x))
def dropout_from_key(input: Array, key: Array, p: Array, together=0) -> Arrays:
    """Set elements to 0 with probability `p`, divide the others by 1 - p; also return the mask.

    `together`: the number of last axes along which elements are kept or set to 0 together.
    """
    alone = input.ndim - together
    kept = _unit(key, input.shape[:alone] + (1,) * together, jnp.float32) >= p
    scale = jnp.where(p < 1, 1 / (1 - p), 0).astype(input.dtype)
    return jnp.where(kept, input * scale, jnp.zeros((), input.dtype)), kept.astype(input.dtype)
