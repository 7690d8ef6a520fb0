"""Collectives on arrays, each declared once, over the axis of a group's ranks.

Derivatives follow from JAX's transposition: each rank has its own loss, and the sum of all losses
is differentiated. So the derivative of a sum is the sum of the cotangents, and the derivative of a
gather is a sum of which each rank gets its part.
"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from sporax._src.devices.distributed.rank_function import agreed, along, axis_name
from sporax._src.diagnosis.rules import require
from sporax.ops.communication import opaque
from sporax.ops.declaration import Array, Arrays, Declaration

BUCKET = 25 << 20  # bytes: maximum size of a buffer of several arrays reduced together


class Collective(Declaration):
    """An operation that all ranks of its attribute `ranks`, a group, run together."""

    is_polymorphic = False
    converts = False

    def bind(self, attributes, structure=None):
        """See `Declaration.bind`."""
        op = super().bind(attributes, structure)
        if op.attributes["ranks"].size > 1:
            op.collective = op.attributes["ranks"]
        return op

    def _evaluate(self, attributes, structure, *arrays, fn=None):
        same = {k: v for k, v in attributes.items() if k in _AGREED_ON}
        with along(attributes["ranks"]), agreed(same):
            return super()._evaluate(attributes, structure, *arrays, fn=fn)


_AGREED_ON = "op", "root", "counts", "lengths"  # what JAX's primitives do not show


def collective(name):
    """Declare a collective: a function on arrays whose last attribute is the group."""

    def declare(fn):
        return Collective(fn, name, False, functools.partial(_no_bools, name), True).face()

    return declare


def _no_bools(name, *avals):
    for aval in avals:
        require(aval.dtype.kind != "b" or name not in _ARITHMETIC, "input-hold-numbers", name)


_ARITHMETIC = "AllReduce", "ReduceScatter"


# reductions -------------------------------------------------------------------------------------


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _extreme(x, reduce, axis):
    return reduce(x, axis)


def _extreme_forward(x, reduce, axis):
    out = reduce(x, axis)
    return out, (x, out)


def _extreme_backward(reduce, axis, residuals, cotangent):
    x, out = residuals
    return (jnp.where(x == out, opaque.psum(cotangent, axis), 0),)


_extreme.defvjp(_extreme_forward, _extreme_backward)


def _mean(x, ranks):
    return (opaque.psum(x, axis_name()) / ranks.size).astype(x.dtype)


REDUCTIONS = {
    "sum": lambda x, ranks: opaque.psum(x, axis_name()),
    "avg": _mean,
    "max": lambda x, ranks: _extreme(x, opaque.pmax, axis_name()),
    "min": lambda x, ranks: _extreme(x, opaque.pmin, axis_name()),
    "prod": lambda x, ranks: opaque.all_gather(x, axis_name()).prod(0, dtype=x.dtype),
}
_ALONG_FIRST = {
    "max": lambda x: x.max(0), "min": lambda x: x.min(0), "prod": lambda x: x.prod(0, dtype=x.dtype)
}  # fmt: skip


@collective("AllReduce")
def all_reduce(x: Array, op, ranks):
    """Reduce the ranks' arrays; every rank gets the result."""
    return x if ranks.size == 1 else REDUCTIONS[op](x, ranks)


@collective("AllReduce")
def all_reduce_together(xs: Arrays, op, ranks):
    """Reduce each of several arrays, packed into buffers of one dtype each."""
    if ranks.size == 1:
        return tuple(xs)
    results = list(xs)
    for bucket in _buckets(xs):
        flat = jnp.concatenate([xs[i].reshape(-1) for i in bucket])
        flat, start = REDUCTIONS[op](flat, ranks), 0
        for i in bucket:
            results[i] = flat[start : start + xs[i].size].reshape(xs[i].shape)
            start += xs[i].size
    return tuple(results)


def _buckets(xs):
    """Group indices of arrays that share a dtype, at most `BUCKET` bytes if there are several."""
    buckets, sizes = {}, {}
    for i, x in enumerate(xs):
        group = buckets.setdefault(x.dtype, [[]])
        if group[-1] and sizes[x.dtype] + x.nbytes > BUCKET:
            group.append([])
        sizes[x.dtype] = (sizes[x.dtype] if group[-1] else 0) + x.nbytes
        group[-1].append(i)
    return [bucket for group in buckets.values() for bucket in group]


@collective("ReduceScatter")
def reduce_scatter(x: Array, op, ranks):
    """Reduce the ranks' arrays; each rank gets its part along the first axis."""
    if ranks.size == 1:
        return x
    if op in ("sum", "avg"):
        total = opaque.psum_scatter(x, axis_name(), tiled=True)
        return total if op == "sum" else (total / ranks.size).astype(x.dtype)
    blocks = x.reshape(ranks.size, x.shape[0] // ranks.size, *x.shape[1:])
    return _ALONG_FIRST[op](opaque.all_to_all(blocks, axis_name(), 0, 0))


# rearrangements ---------------------------------------------------------------------------------


@collective("AllGather")
def all_gather(x: Array, ranks):
    """Concatenate the ranks' arrays along the first axis."""
    x = x.reshape(-1) if x.ndim == 0 else x
    return x if ranks.size == 1 else opaque.all_gather(x, axis_name(), tiled=True)


@collective("Broadcast")
def broadcast(x: Array, root, ranks):
    """Return the array of group rank `root`."""
    if ranks.size == 1:
        return x
    carried = x.astype(jnp.int8) if x.dtype == bool else x
    mine = jnp.where(lax.axis_index(axis_name()) == root, carried, jnp.zeros((), carried.dtype))
    return opaque.psum(mine, axis_name()).astype(x.dtype)


@collective("AlltoAll")
def all_to_all(x: Array, split_axis, concat_axis, ranks):
    """Exchange parts along `split_axis`; concatenate the received parts along `concat_axis`."""
    return (
        x
        if ranks.size == 1
        else opaque.all_to_all(x, axis_name(), split_axis, concat_axis, tiled=True)
    )


@collective("Send")
def permute(x: Array, pairs, ranks):
    """Return the array that another rank sends to this one; zeros if none does."""
    if ranks.size == 1:
        return x if pairs else jnp.zeros_like(x)
    return opaque.ppermute(x, axis_name(), pairs)


# of one rank ------------------------------------------------------------------------------------


def _on_root(x, root):
    return jnp.where(lax.axis_index(axis_name()) == root, x, jnp.zeros((), x.dtype))


@collective("Reduce")
def reduce(x: Array, op, root, ranks, keeps=False):
    """Reduce the ranks' arrays onto group rank `root`; other ranks get zeros, or with `keeps` their
    own array."""
    if ranks.size == 1:
        return x
    total = REDUCTIONS[op](x, ranks)
    return (
        jnp.where(lax.axis_index(axis_name()) == root, total, x) if keeps else _on_root(total, root)
    )


@collective("CollectiveGather")
def gather(x: Array, root, ranks):
    """Concatenate the ranks' arrays on group rank `root`; other ranks get zeros."""
    return x if ranks.size == 1 else _on_root(opaque.all_gather(x, axis_name(), tiled=True), root)


@collective("CollectiveScatter")
def scatter(x: Array, root, ranks):
    """Return this rank's part, along the first axis, of the array of group rank `root`."""
    if ranks.size == 1:
        return x
    blocks = x.reshape(ranks.size, x.shape[0] // ranks.size, *x.shape[1:])
    return opaque.all_to_all(blocks, axis_name(), 0, 0)[root]


# parts of different lengths: they travel as long as the longest ---------------------------------


def _joined(x, lengths, longest):
    """Split the rows of `x` into segments of `lengths`, zero-pad each to `longest`, concatenate."""
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    rows = [x[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    return jnp.concatenate([_filled(segment, longest) for segment in rows])


def _filled(x, length):
    return jnp.pad(x, [(0, length - x.shape[0]), *[(0, 0)] * (x.ndim - 1)])


def _cut(x, lengths, longest):
    """The inverse of `_joined`."""
    return jnp.concatenate([x[i * longest : i * longest + n] for i, n in enumerate(lengths)])


@collective("AlltoAllV")
def all_to_all_v(x: Array, counts, ranks):
    """Exchange rows: rank `i` sends `counts[i][j]` rows to `j`; returns the received rows."""
    if ranks.size == 1:
        return x
    longest = max(map(max, counts))
    sent = _joined(x, counts[ranks.rank], longest)
    arrived = opaque.all_to_all(sent, axis_name(), 0, 0, tiled=True)
    return _cut(arrived, [row[ranks.rank] for row in counts], longest)


@collective("AllGatherV")
def all_gather_v(x: Array, lengths, ranks):
    """Concatenate the ranks' arrays, of these lengths."""
    if ranks.size == 1:
        return x
    longest = max(lengths)
    return _cut(opaque.all_gather(_filled(x, longest), axis_name(), tiled=True), lengths, longest)


@collective("ReduceScatterV")
def reduce_scatter_v(x: Array, lengths, op, ranks):
    """Reduce the ranks' arrays; rank `i` gets a part of `lengths[i]` rows."""
    if ranks.size == 1:
        return x
    whole = _joined(x, lengths, max(lengths))
    reduced = reduce_scatter.declaration.fn(whole, op, ranks)
    return reduced[: lengths[ranks.rank]]


@collective("NeighborExchange")
def neighbor_exchange(xs: Arrays, rounds, shapes, dtype, ranks):
    """Exchange arrays between ranks; returns the received arrays, of `shapes`.

    `rounds`: for each round, (pairs (from, to) of ranks, number of elements, index in `xs` of the
    array that this rank sends or None, index of the result that it receives or None).
    """
    results = [jnp.zeros(shape, dtype) for shape in shapes]
    for pairs, elements, sent, received in rounds:
        flat = jnp.zeros(0, dtype) if sent is None else xs[sent].reshape(-1).astype(dtype)
        arrived = _filled(flat, elements)
        if ranks.size > 1:
            arrived = opaque.ppermute(arrived, axis_name(), pairs)
        if received is not None:
            shape = shapes[received]
            results[received] = arrived[: results[received].size].reshape(shape)
    return tuple(results)
