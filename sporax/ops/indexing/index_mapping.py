"""Indices computed from indices: unraveled, in ranges, filtered, and in caches."""

import math

import jax.numpy as jnp
import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.index_checks.ranges import Range
from sporax.ops.declare import Array, Arrays, composite, op
from sporax.ops.indexing.assignment import put


def _elements(indices, dims):
    return [Range(indices, math.prod(dims), low=0, span="the-number-of-elements")]


@op(function=(), name="UnravelIndex", bounds=_elements, differentiable=False)
def coordinates_of(indices: Array, dims):
    """`UnravelIndex` with the sizes `dims` as a tuple."""
    is_vector = indices.ndim <= 1 and jnp.issubdtype(indices.dtype, jnp.integer)
    require(is_vector, "integers-n", argument="indices")
    is_shape = isinstance(dims, tuple) and all(isinstance(n, int) and n > 0 for n in dims)
    require(is_shape, "positive-ints-argument-value", dims=dims)
    return jnp.stack(jnp.unravel_index(indices, dims)).astype(indices.dtype)


@composite(primitive="UnravelIndex()(indices, dims)", function=())
def unravel_index(indices, dims):
    """Convert flat, row-major indices to the coordinates in an array of sizes `dims` `(k,)`: `(n,)`
    -> `(k, n)`, `()` -> `(k,)`.

    >>> ops.UnravelIndex()(Tensor([2, 5]), Tensor([3, 3])).asnumpy()
    array([[0, 1],
           [2, 2]])
    """
    return coordinates_of(indices, tuple(dims.tolist() if isinstance(dims, Tensor) else dims))


@composite(primitive="RaggedRange(Tsplits)(starts, limits, deltas)", function=())
def ragged_range(starts, limits, deltas, Tsplits) -> Arrays:
    """For each start, the numbers from it up to its limit, exclusive, in steps of its delta: the
    offset of each range in the second result, and its length, in the dtype `Tsplits`; and all
    ranges, concatenated.

    The shape depends on the values, so this call runs the pending operations.

    >>> starts, limits, steps = Tensor([2, 5, 8]), Tensor([3, 5, 12]), Tensor([1, 1, 2])
    >>> [t.tolist() for t in ops.RaggedRange(sporax.int64)(starts, limits, steps)]
    [[0, 1, 1, 3], [2, 8, 10]]
    """
    who, is_integer = "RaggedRange", Tsplits in (dtypes.int32, dtypes.int64)
    require(is_integer, "int32-int64", who, Tsplits=Tsplits, error=ValueError)
    arrays = [np.atleast_1d(x.asnumpy()) for x in (starts, limits, deltas)]
    specs = [(a.shape, str(a.dtype)) for a in arrays]
    is_one = len(set(specs)) == 1 and arrays[0].ndim <= 1
    require(is_one, "starts-limits-deltas-one", who, got=specs)
    require(arrays[2].all(), "nonzero", who, deltas=arrays[2])
    counts = [max(0, int(np.ceil((b - a) / d))) for a, b, d in zip(*arrays, strict=True)]
    ranges = [a + d * np.arange(n) for a, d, n in zip(*arrays[::2], counts, strict=True)]
    dense = np.concatenate([np.zeros(0), *ranges]).astype(arrays[0].dtype)
    return Tensor(np.cumsum([0, *counts]), Tsplits), Tensor(dense)


@composite(primitive="SubAndFilter()(input_x, max_num, offset)", function=())
def sub_and_filter(input_x, max_num, offset) -> Arrays:
    """The elements of `input_x - offset` in [0, max_num), and their indices.

    The shape depends on the values, so this call runs the pending operations.

    >>> x = Tensor([1, 3, 5, 8, 9, 16], sporax.int32)
    >>> [t.tolist() for t in ops.SubAndFilter()(x, 10, 5)]
    [[0, 3, 4], [2, 3, 4]]
    """
    shifted = input_x.asnumpy() - int(offset)
    indices = np.flatnonzero((shifted >= 0) & (shifted < int(max_num)))
    return Tensor(shifted.reshape(-1)[indices]), Tensor(indices.astype(shifted.dtype))


@composite(primitive="MapUniform()(input, per_group_size, group_num)", function=())
def map_uniform(input, per_group_size, group_num):
    """$x \\bmod n \\cdot s + \\lfloor x / n \\rfloor$, n being `group_num` and s `per_group_size`:
    distributes a table's rows to groups.

    >>> ops.MapUniform()(Tensor([0, 1, 2, 3]), 2, 2).tolist()
    [0, 2, 1, 3]
    """
    return input % group_num * per_group_size + input // group_num


class _Cache:
    """A hash table with linear probing, of rows (key, slot in the cache, step of last use, distance
    from its hash plus 1, 0 for an empty row)."""

    def __init__(self, table, step):
        self.table, self.step, self.size = table, step, len(table)

    def probe(self, key, fits):
        """Return the first row, starting at the hash of `key`, for which `fits(row)` is true, and
        its distance plus 1."""
        share = 0.6180339 * key
        start = int((share - np.floor(share)) * self.size)
        return self.walk(start, fits)

    def walk(self, start, fits):
        """As `probe`, starting at the row `start`."""
        for n in range(self.size + 1):
            index = (start + n) % self.size
            if fits(self.table[index]):
                return index, n + 1
        raise rejection("row-spare-all-use", "MapCacheIdx", argument="hashmap", size=self.size)

    def lookup(self, key):
        """Return the key's slot in the cache; None if it is missing."""
        index, _ = self.probe(key, lambda row: row[3] == 0 or row[0] == key)
        if self.table[index][3] == 0:
            return None
        self.table[index][2] = self.step
        return self.table[index][1]

    def insert(self, key):
        """Insert the key in place of one that has not been used for two steps: (its slot in the
        cache, the evicted key)."""
        index, distance = self.probe(key, lambda row: row[3] == 0)
        self.table[index] = key, 0, self.step, distance
        is_old = lambda row: row[3] != 0 and row[2] < self.step - 1  # noqa: E731
        old, _ = self.walk((index + 1) % self.size, is_old)
        went, slot = self.table[old][:2]
        self.table[index][1] = slot
        self.table[old][3] = 0
        self.close(old)
        return slot, went

    def close(self, hole):
        """Move rows behind an emptied one up, so that probing still reaches them."""
        distance, index = 1, (hole + 1) % self.size
        while self.table[index][3] != 0:
            if self.table[index][3] > distance:
                self.table[hole] = self.table[index]
                self.table[hole][3] -= distance
                self.table[index][3] = 0
                hole, distance = index, 0
            index, distance = (index + 1) % self.size, distance + 1


@composite(
    primitive="MapCacheIdx()(hashmap, indices, step, emb_max_num, cache_max_num)", function=()
)
def map_cache_idx(hashmap, indices, step, emb_max_num, cache_max_num) -> Arrays:
    """Look up rows of a large table in a cache, and the swaps that missing rows require.

    `hashmap` `(n, 4)`, updated in place: rows (key, slot in the cache, step of last use, probes, 0
    for an empty row). The keys are `indices - cache_max_num`, the offset of this part of the table;
    keys outside [0, emb_max_num) give -1. Returns the slots of all, and, for the missing keys, the
    evicted keys, the missing keys, and their shared slots.

    >>> table = Parameter(Tensor([[5, 0, -5, 1], [0, 0, 0, 0]], sporax.int32))
    >>> key, step = Tensor([0], sporax.int32), Tensor([0], sporax.int32)
    >>> [t.tolist() for t in ops.MapCacheIdx()(table, key, step, 10, 0)]
    [[0], [5], [0], [0]]
    """
    rows = hashmap.asnumpy().copy()
    is_table, shape = rows.ndim == 2 and rows.shape[1] == 4, rows.shape
    require(is_table, "shape-letters", "MapCacheIdx", hashmap=shape, letters="(n, 4)")
    cache = _Cache(rows, int(step))
    keys = indices.asnumpy().astype(np.int64) - int(cache_max_num)
    is_known = (keys >= 0) & (keys < int(emb_max_num))
    slots = [cache.lookup(key) if known else -1 for key, known in zip(keys, is_known, strict=True)]
    missing = [i for i, slot in enumerate(slots) if slot is None]
    swaps = [cache.insert(keys[i]) for i in missing]
    for i, (slot, _) in zip(missing, swaps, strict=True):
        slots[i] = slot
    put("MapCacheIdx", hashmap, Tensor(rows))
    results = slots, [went for _, went in swaps], keys[missing], [slot for slot, _ in swaps]
    return tuple(Tensor(np.asarray(r, rows.dtype)) for r in results)
