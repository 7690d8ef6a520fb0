"""Rows for `sporax.ops.random.draws`: the generator (Threefry, Salmon et al., 2011) written out.

The laws themselves are tested in `tests/ops/test_random.py`.
"""

import jax
import numpy as np
from scipy import special, stats

from sporax import mint, ops
from sporax._src.core.random import Generator
from tests.samples import Refusal, Sample

KEY = np.array([7, 2**31 + 5], np.uint32)
_ROTATIONS = [(13, 15, 26, 6), (17, 29, 16, 24)]


def threefry(key, high, low):
    """Two words out of the counter (high, low)."""
    keys = [key[:1], key[1:], key[:1] ^ key[1:] ^ np.uint32(0x1BD11BDA)]
    a, b = high + keys[0], low + keys[1]
    for group in range(5):
        for turn in _ROTATIONS[group % 2]:
            a = a + b
            b = a ^ (b << np.uint32(turn) | b >> np.uint32(32 - turn))
        a = a + keys[(group + 1) % 3]
        b = b + keys[(group + 2) % 3] + np.uint32(group + 1)
    return a, b


def words(key, shape):
    low = np.arange(np.prod(shape, dtype=int), dtype=np.uint32).reshape(shape)
    return threefry(key, np.zeros_like(low), low)


def long_words(key, shape):
    a, b = words(key, shape)
    return a.astype(np.uint64) << np.uint64(32) | b


def unit(key, shape):
    a, b = words(key, shape)
    return ((a ^ b) >> np.uint32(9)).astype(np.float64) / 2**23


def normal(key, shape, dtype):
    least = np.nextafter(np.float32(-1), np.float32(0))
    u = np.maximum(least, unit(key, shape) * (1 - float(least)) + float(least))
    return np.sqrt(2) * special.erfinv(u)


def integers(key, low, high, shape, dtype):
    return low + (long_words(key, shape) % np.uint64(high - low)).astype(np.int64)


def inside(key, shape):
    return unit(key, shape) + 2**-24


def gumbel(key, shape):
    return -np.log(-np.log(inside(key, shape)))


def classes(key, weights, count, replacement):
    if replacement:
        sums = weights.cumsum()
        return np.searchsorted(sums, unit(key, (count,)) * sums[-1], "right")
    return np.argsort(-(np.log(weights) + gumbel(key, weights.shape)))[:count]


def permutation(key, n, length, dtype):
    mixed = np.argsort(long_words(key, (length,))[:n])
    return np.concatenate([mixed, np.arange(n, length)])


def cut_normal(key, low, high, shape, dtype):
    u = (long_words(key, shape) >> np.uint64(12)).astype(np.float64) / 2**52 + 2**-53
    if low > 0:
        return -special.ndtri(special.ndtr(-high) * (1 - u) + special.ndtr(-low) * u)
    return special.ndtri(special.ndtr(low) * (1 - u) + special.ndtr(high) * u)


QUANTILES = {
    "exponential": stats.expon, "laplace": stats.laplace, "cauchy": stats.cauchy,
    "gumbel": stats.gumbel_r, "logistic": stats.logistic,
}  # fmt: skip


def quantile(key, law, shape, dtype):
    return QUANTILES[law].ppf(inside(key, shape))


def halves(key):
    return [np.concatenate(threefry(key, np.zeros(1, np.uint32), at)) for at in BOTH]


def nonzero(key, mask, count):
    order = np.argwhere(mask.ravel())[:, 0]
    order = order[np.argsort(long_words(key, (mask.size,))[order])][:count]
    result = np.zeros((count, mask.ndim), int)
    result[: len(order)] = np.stack(np.unravel_index(order, mask.shape), -1)
    return result, np.arange(count) < len(order)


def candidates(key, expected, count, unique, n, law, avoid):
    k = np.arange(n)
    p = np.full(n, 1 / n) if law == "uniform" else np.log((k + 2) / (k + 1)) / np.log(n + 1)
    weights = p.copy()
    if avoid:
        weights[expected.ravel()] = 0
    choice, gaps = halves(key)
    tries = count
    with np.errstate(divide="ignore"):
        if unique:
            drawn = np.argsort(-(np.log(weights) + gumbel(choice, (n,))))[:count]
            seen = 1 - weights.sum() + np.cumsum(weights[drawn]) - weights[drawn]
            tries += np.floor(np.log(inside(gaps, (count,))) / np.log(seen)).sum()
        else:
            sums = weights.cumsum()
            drawn = np.searchsorted(sums, unit(choice, (count,)) * sums[-1], "right")
    often = p * count if tries == count else 1 - (1 - p) ** tries
    return drawn, often[expected], often[drawn]


BOTH = np.arange(2, dtype=np.uint32)[:, None]


def drop(x, key, p, together=0):
    kept = unit(key, x.shape[: x.ndim - together] + (1,) * together) >= p
    return np.where(kept, x / (1 - p), 0), kept


def advance(state):
    a, b = threefry(state[:2], np.zeros(1, np.uint32), state[2:])
    return np.concatenate([a, b]), state + np.array([0, 0, 1], np.uint32)


def moved_on(state, step):
    words = state.astype(np.int64)
    return words[0] << 32 | words[1], words[2], state + np.array([0, 0, step[0]], np.uint32)


FLOAT, INT = np.dtype(np.float32), np.dtype(np.int32)
LOW, HIGH, P = np.array(-3), np.array(4), np.array(0.3)
SAMPLES = [
    Sample("split_key", [KEY], halves),
    Sample("advance_state", [np.array([1, 2, 3], np.uint32)], advance),
    Sample("step_state", [np.array([1, 2, 3], np.uint32), np.array([5])], moved_on),
    Sample(
        "uniform_from_key", [KEY], lambda k, shape, dtype: unit(k, shape),
        {"shape": (3, 4), "dtype": FLOAT},
    ),
    Sample("normal_from_key", [KEY], normal, {"shape": (3, 4), "dtype": FLOAT}),
    Sample("randint_from_key", [KEY, LOW, HIGH], integers, {"shape": (9,), "dtype": INT}),
    Sample(
        "permutation_from_key", [KEY, np.array(6)], permutation, {"length": 9, "dtype": INT},
    ),
    Sample(
        "bernoulli_from_key", [KEY, P.astype(np.float32)],
        lambda key, p, shape, dtype: unit(key, shape) < p,
        {"shape": (9,), "dtype": FLOAT},
    ),
    Sample(
        "categorical_from_key", [KEY, np.array([0.1, 0.4, 0.2], np.float32)], classes,
        {"count": 9, "replacement": True},
    ),
    Sample(
        "categorical_from_key", [KEY, np.array([0.1, 0.4, 0.2], np.float32)], classes,
        {"count": 2, "replacement": False},
    ),
    *[
        Sample(
            "inverse_cdf_from_key", [KEY], quantile,
            {"distribution": law, "shape": (3, 4), "dtype": FLOAT}, rtol=1e-4,
        )
        for law in QUANTILES
    ],
    *[
        Sample(
            "truncated_normal_from_key", [KEY, np.array(low), np.array(high)], cut_normal,
            {"shape": (9,), "dtype": np.dtype(np.float64)}, rtol=1e-9,
        )
        for low, high in [(-2.0, 1.0), (0.5, 9.0), (9.0, 10.0), (-30.0, -20.0)]
    ],
    Sample(
        "gamma_from_key", [KEY, np.array([0.5, 2.0], np.float32)],
        lambda k, alpha, shape, dtype: jax.random.gamma(k, alpha.astype(dtype), shape, dtype),
        {"shape": (3, 2), "dtype": FLOAT},
    ),
    Sample(
        "poisson_from_key", [KEY, np.array([0.5, 20.0], np.float32)],
        lambda k, rate, shape, dtype: jax.random.poisson(k, rate.astype("float32"), shape, "int64"),
        {"shape": (3, 2), "dtype": FLOAT},
    ),
    Sample(
        "bits_from_key", [KEY],
        lambda k, shape, dtype: (words(k, shape)[0] ^ words(k, shape)[1]).view(dtype),
        {"shape": (9,), "dtype": INT},
    ),
    Sample("choice_with_mask_from_key", [KEY, np.eye(3, dtype=bool)], nonzero, {"count": 2}),
    Sample("choice_with_mask_from_key", [KEY, np.eye(3, dtype=bool)], nonzero, {"count": 11}),
    *[
        Sample(
            "candidates_from_key", [KEY, np.array([[1, 2], [0, 1]])], candidates,
            {"count": 4, "unique": unique, "n": 9, "distribution": law, "avoid": avoid},
        )
        for unique in (False, True) for law in ("uniform", "log_uniform") for avoid in (False, True)
    ],
    Sample("dropout_from_key", [(3, 4), KEY, P.astype(np.float32)], drop),
    Sample(
        "dropout_from_key", [(2, 3, 2), KEY, P.astype(np.float32)], drop, {"together": 1},
    ),
]  # fmt: skip

BOX = ops.ones((1, 2, 3, 3))
REFUSALS = [
    Refusal("randint", lambda: ops.randint(3, 3, (2,)), ValueError, ("'randint'", "'low'")),
    Refusal("randperm", lambda: ops.randperm(-1), ValueError, ("'randperm'", "-1")),
    Refusal("shape", lambda: ops.standard_normal((2, -1)), ValueError, ("'StandardNormal'", "-1")),
    Refusal("dropout", lambda: ops.dropout(BOX, 1.5), ValueError, ("'Dropout'", "1.5")),
    Refusal("dropout1d", lambda: ops.dropout1d(BOX), ValueError, ("'dropout1d'", "2 or 3 axes")),
    Refusal("dropout3d", lambda: ops.Dropout3D()(BOX), ValueError, ("'Dropout3D'", "5 axes")),
    Refusal("p", lambda: ops.bernoulli(BOX, 1.5), ValueError, ("'bernoulli'", "1.5")),
    Refusal("seed", lambda: ops.rand(2, seed=-1), ValueError, ("'seed'", "-1")),
    Refusal("seed kind", lambda: ops.rand(2, seed="a"), TypeError, ("'seed'", "str")),
    Refusal("seeds", lambda: ops.StandardNormal(-1)((2,)), ValueError, ("'StandardNormal'", "-1")),
    Refusal("rand", lambda: ops.rand(2, dtype=BOX.bool().dtype), ValueError, ("'rand'", "Bool")),
    Refusal(
        "dtype", lambda: ops.random_categorical(BOX[0, 0], 2, dtype=BOX.dtype), TypeError,
        ("'RandomCategorical'", "Float32"),
    ),
    Refusal("broadcast", lambda: ops.gamma((3,), BOX, BOX[0, 0, 0, :2]), ValueError, ("'gamma'",)),
    Refusal(
        "random_gamma", lambda: ops.random_gamma((2,), BOX), TypeError, ("'shape'", "a Tensor of")
    ),
    Refusal("poisson", lambda: ops.poisson((2,), 1.0), TypeError, ("'poisson'", "float")),
    Refusal("classes", lambda: ops.multinomial(BOX, 4, False), ValueError, ("at most 3", "got 4")),
    Refusal(
        "candidates", lambda: ops.uniform_candidate_sampler(BOX[0, 0], 3, 5, True, 4), ValueError,
        ("'UniformCandidateSampler'", "at most 'range_max' 4"),
    ),
    Refusal("rrelu", lambda: ops.rrelu(BOX, 2, 1), ValueError, ("'rrelu'", "'lower'")),
    Refusal("tau", lambda: ops.gumbel_softmax(BOX, 0.0), ValueError, ("'tau'", "0.0")),
    Refusal("random_", lambda: BOX.copy().random_(3, 3), ValueError, ("'random_'", "'low'")),
    Refusal("uniform_", lambda: BOX.copy().uniform_(3, 2), ValueError, ("'uniform_'", "'from_'")),
    Refusal("exponential_", lambda: BOX.copy().exponential_(0), ValueError, ("'lambd'",)),
    Refusal("device", lambda: mint.rand(2, device="xpu"), ValueError, ("'device'", "xpu")),
    Refusal("normal", lambda: mint.normal(0.0, 1.0), TypeError, ("'normal'", "'size'")),
    Refusal("state", lambda: Generator().set_state(BOX), TypeError, ("'state'", "'get_state'")),
    Refusal("manual_seed", lambda: Generator().manual_seed("a"), TypeError, ("'seed'", "str")),
]  # fmt: skip
