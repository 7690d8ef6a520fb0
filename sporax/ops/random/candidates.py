"""Random classes drawn by weights, and candidates for sampled losses.

Seeds are as in `sporax.ops.random.continuous`.
"""

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.ops.casting import cast
from sporax.ops.declare import Arrays, composite
from sporax.ops.nn.activation import softmax
from sporax.ops.random.discrete import joined
from sporax.ops.random.draws import (
    candidates_from_key,
    categorical_from_key,
    dtype_of_kind,
    next_key,
    source_of,
)


def classes(name, weights, count, replacement, seed):
    """Check the arguments, and call `categorical_from_key` for one or two axes of weights."""
    kinds.INT(name, num_samples=count)
    size = weights.shape[-1]
    fits = replacement or count <= size
    require(fits, "at-most-number-classes-without", name, num_samples=count, shape=size)
    return categorical_from_key(next_key(seed), weights, count, replacement)


@composite(tensor="multinomial")
def multinomial(input, num_samples, replacement=True, seed=None):
    """Draw `num_samples` indices for each row of `input`, weighted by the row: Int32.

    >>> ops.multinomial(Tensor([0.0, 1.0]), 2).asnumpy()
    array([1, 1], dtype=int32)
    """
    return classes("multinomial", input, num_samples, replacement, seed)


@composite(function=(), primitive="Multinomial(seed=0, seed2=0, dtype=int32)(x, num_samples)")
def multinomial_of_class(itself, x, num_samples, seed=0, seed2=0, dtype=dtypes.int32):
    """As `multinomial` with replacement.

    >>> ops.Multinomial()(Tensor([0.0, 1.0]), 2).asnumpy()
    array([1, 1], dtype=int32)
    """
    wanted = dtype_of_kind("Multinomial", dtype, "i", error=TypeError)
    drawn = multinomial(x, num_samples, True, source_of(itself, seed, seed2))
    return cast(drawn, dtypes.from_numpy(wanted))


@composite()
def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """As `multinomial`, Int64, drawn from the sequence of `seed` and `offset`.

    If `seed` is -1 and `offset` 0, or both are 0, `set_seed` governs.

    >>> ops.multinomial_with_replacement(Tensor([0.0, 1.0]), 2, 5, 2, True).asnumpy()
    array([1, 1])
    """
    seeds = [int(s) if isinstance(s, Tensor) else s for s in (seed, offset)]
    source = None if seeds == [-1, 0] else joined(*seeds)
    drawn = classes("multinomial_with_replacement", x, numsamples, replacement, source)
    return cast(drawn, dtypes.int64)


@composite(
    function=(),
    primitive="MultinomialWithReplacement(numsamples, replacement=False)(x, seed, offset)",
)
def multinomial_with_replacement_of_class(x, seed, offset, numsamples, replacement=False):
    """As `multinomial_with_replacement`.

    >>> ops.MultinomialWithReplacement(2, True)(Tensor([0.0, 1.0]), 0, 0).asnumpy()
    array([1, 1])
    """
    return multinomial_with_replacement(x, seed, offset, numsamples, replacement)


@composite(
    function="random_categorical(logits, num_sample, seed=0, dtype=int64)",
    tensor="random_categorical(logits, num_sample, seed=0, dtype=int64)",
    primitive="RandomCategorical(dtype=int64)(logits, num_sample, seed=0)",
)
def random_categorical(logits, num_sample, seed=0, dtype=dtypes.int64):
    """Draw `num_sample` indices for each row of `logits`, with probabilities $softmax(logits)$.

    `dtype`: Int16, Int32 or Int64. If `seed` is 0, `set_seed` governs.

    >>> ops.random_categorical(Tensor([[-100.0, 0.0]]), 3).asnumpy()
    array([[1, 1, 1]])
    """
    wanted = dtype_of_kind("RandomCategorical", dtype, "i", error=TypeError)
    require(logits.ndim == 2, "matrix", "RandomCategorical", argument="logits", shape=logits.shape)
    drawn = classes("RandomCategorical", softmax(logits), num_sample, True, seed or None)
    return cast(drawn, dtypes.from_numpy(wanted))


# candidates ---------------------------------------------------------------------------------


def _candidates(name, kind, true_classes, num_true, num_sampled, unique, range_max, seed, avoid):
    kinds.POSITIVE_INT(name, num_true=num_true, num_sampled=num_sampled, range_max=range_max)
    fits, shape = not unique or num_sampled <= range_max, true_classes.shape
    require(fits, "at-most-for-unique", name, num_sampled=num_sampled, range_max=range_max)
    is_matrix = len(shape) == 2 and shape[1] == num_true
    require(is_matrix, "shape-letters", name, true_classes=shape, letters=f"(n, {num_true})")
    key = next_key(seed)
    return candidates_from_key(key, true_classes, num_sampled, bool(unique), range_max, kind, avoid)


@composite()
def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False
) -> Arrays:
    """Draw `num_sampled` of `range_max` classes uniformly; also returns expected counts.

    `true_classes`: integers `(batch, num_true)`. `unique`: each class at most once.
    `remove_accidental_hits`: excludes the true classes (if fewer than `num_sampled` are left, the
    true ones come last). Returns the classes, the expected counts of the true ones and of the drawn
    ones.

    >>> drawn, true, sampled = ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 3, False, 4)
    >>> drawn.shape, true.tolist()
    ((3,), [[0.75], [0.75]])
    """
    return _candidates(
        "UniformCandidateSampler", "uniform", true_classes, num_true, num_sampled, unique,
        range_max, seed or None, bool(remove_accidental_hits),
    )  # fmt: skip


@composite(
    function=(),
    primitive="UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed=0, "
    "remove_accidental_hits=False)(true_classes)",
)
def uniform_candidates_of_class(
    itself, true_classes, num_true, num_sampled, unique, range_max, seed=0,
    remove_accidental_hits=False,
) -> Arrays:  # fmt: skip
    """As `uniform_candidate_sampler`.

    >>> drawn, true, sampled = ops.UniformCandidateSampler(1, 3, False, 4)(Tensor([[1], [3]]))
    >>> drawn.shape, true.asnumpy().tolist()
    ((3,), [[0.75], [0.75]])
    """
    return uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, source_of(itself, seed),
        remove_accidental_hits,
    )  # fmt: skip


@composite()
def log_uniform_candidate_sampler(
    true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0
) -> Arrays:
    r"""As `uniform_candidate_sampler`, for classes in order of decreasing frequency.

    Class k of n = `range_max` has the probability $\ln \frac{k + 2}{k + 1} / \ln(n + 1)$.

    >>> ops.log_uniform_candidate_sampler(Tensor([[0]]), 1, 2, True, 5)[0].shape
    (2,)
    """
    return _candidates(
        "LogUniformCandidateSampler", "log_uniform", true_classes, num_true, num_sampled, unique,
        range_max, seed or None, False,
    )  # fmt: skip


@composite(
    function=(),
    primitive="LogUniformCandidateSampler(num_true=1, num_sampled=5, unique=True, range_max=5, "
    "seed=0)(true_classes)",
)
def log_uniform_candidates_of_class(
    itself, true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0
) -> Arrays:
    """As `log_uniform_candidate_sampler`.

    >>> drawn, true, sampled = ops.LogUniformCandidateSampler(1, 2, True, 5)(Tensor([[0], [1]]))
    >>> drawn.shape, true.shape
    ((2,), (2, 1))
    """
    return log_uniform_candidate_sampler(
        true_classes, num_true, num_sampled, unique, range_max, source_of(itself, seed)
    )
