"""Reductions of slices with equal, sorted segment ids; the last id gives the number of segments.

The shape depends on the ids, so these functions run the pending operations.
"""

import jax
import jax.numpy as jnp

from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.index_checks.ranges import Range
from sporax._src.runtime.xla_kernels.products import multiply_at
from sporax.ops.declare import Array, composite, op
from sporax.ops.indexing.gather import gather


def _mean(x, ids, count):
    total = jax.ops.segment_sum(x, ids, count)
    sizes = jnp.zeros(count, x.dtype).at[ids].add(1).reshape(-1, *[1] * (x.ndim - 1))
    return total / jnp.maximum(sizes, 1)


def _product(x, ids, count):
    return multiply_at(jnp.ones((count, *x.shape[1:]), x.dtype), ids, x)


# name -> (result for a segment, for an empty one, JAX's function)
_COMPUTE = {
    "sum": ("sum", 0, jax.ops.segment_sum), "mean": ("mean", 0, _mean),
    "max": ("largest", 0, jax.ops.segment_max), "min": ("smallest", 0, jax.ops.segment_min),
    "prod": ("product", 1, _product),
}  # fmt: skip


def _ids(input_x, segment_ids, count, reduction):
    return [Range(segment_ids, count, low=0, span="the-number-of-segments")]


_REDUCTION = kinds.one_of(*_COMPUTE)


@op(function=(), name="Segment", bounds=_ids)
def reduced_segments(input_x: Array, segment_ids: Array, count, reduction):
    """Reduce slices along the first axis to `count` segments; `reduction`: a key of `_COMPUTE`."""
    shape, rows = segment_ids.shape, input_x.shape[:1]
    letters = str(rows or "(n,)")
    require(shape == rows and rows, "shape-letters", segment_ids=shape, letters=letters)
    _REDUCTION(None, reduction=reduction)
    _, empty, compute = _COMPUTE[reduction]
    some = jnp.zeros(count, bool).at[segment_ids].set(True)
    result = compute(input_x, segment_ids, count).astype(input_x.dtype)
    some = some.reshape(-1, *[1] * (input_x.ndim - 1))
    return jnp.where(some, result, jnp.asarray(empty, input_x.dtype))


def _count(name, segment_ids):
    """Return the number of segments; the ids must be ascending."""
    ids = segment_ids.asnumpy()
    is_rising = ids.ndim == 1 and ids.dtype.kind in "iu" and not (ids[1:] < ids[:-1]).any()
    require(is_rising, "rising-integers-n", name, segment_ids=ids)
    return int(ids[-1]) + 1 if ids.size else 0


def _declare(reduction):
    word, empty, _ = _COMPUTE[reduction]
    name = f"Segment{reduction.title()}"

    def function(input_x, segment_ids):
        return reduced_segments(input_x, segment_ids, _count(name, segment_ids), reduction)

    function.__name__, function.__module__ = f"segment_{reduction}", __name__
    shown = {"sum": "3.", "mean": "1.5", "max": "2.", "min": "1.", "prod": "2."}[reduction]
    function.__doc__ = f"""The {word} of the slices of `input_x` with equal `segment_ids`, which
    are in ascending order.

    The number of segments is the last id plus 1; an empty one gives {empty}.

    >>> x, ids = Tensor([1.0, 2.0, 5.0]), Tensor([0, 0, 2])
    >>> ops.{name}()(x, ids).asnumpy().tolist()
    [{float(shown)}, {float(empty)}, 5.0]
    """
    composite(primitive=f"{name}()(input_x, segment_ids)", function=())(function)


for _reduction in _COMPUTE:
    _declare(_reduction)


@composite()
def sparse_segment_mean(x, indices, segment_ids):
    """The mean of the slices of `x` at `indices` with equal, ascending `segment_ids`.

    The number of segments is the last id plus 1; an empty one gives 0.

    >>> x, ids = Tensor([1.0, 2.0, 5.0]), Tensor([0, 0, 2])
    >>> ops.sparse_segment_mean(x, Tensor([2, 0, 1]), ids).asnumpy()
    array([3., 0., 2.], dtype=float32)
    """
    count = _count("sparse_segment_mean", segment_ids)
    return reduced_segments(gather(x, indices, 0), segment_ids, count, "mean")
