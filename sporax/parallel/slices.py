"""The part of a parameter that a rank has under a layout, and its conversion between layouts."""

import contextlib
import functools
import itertools
import math
import re
from typing import Any, NamedTuple

import numpy as np

from sporax._src.diagnosis.rules import rejection, require
from sporax.parallel import strategy_file

_MOST_RANKS = 2**15
_STAGED = re.compile(r"(\d+)-(.+)", re.DOTALL)  # a name in a file for all pipeline stages


class Slicing(NamedTuple):
    """The division of a parameter among the ranks of a pipeline stage.

    `dev_matrix`: the sizes of the grid of ranks. `tensor_map`: for each dimension the grid axes
    that divide it, as positions in `dev_matrix`, outer first. `shards`: the number of parts into
    which the optimizer further divides dimension 0, along axes that divide no dimension, inner
    first. `stages`: the pipeline stages that have the parameter.
    """

    dev_matrix: tuple
    tensor_map: tuple
    shards: int = 0
    split_shape: tuple = ()
    field: int = 0
    stages: tuple = (0,)

    @staticmethod
    def from_message(name, message, stages=(0,)):
        """Return the slicing of a layout message."""
        try:
            grid = tuple(message.dev_matrix[0].dim)
            maps = [list(m.dim) for m in message.tensor_map if list(m.dim)]
            maps = maps if len(message.tensor_map) > 1 else [[n] for m in maps for n in m]
            split = message.param_split_shape
            split_shape = tuple(split[0].dim) if split else ()
        except (AttributeError, IndexError, TypeError):
            raise rejection("layout-dev-matrix-tensor-map", name, got=message) from None
        return Slicing._checked(
            name, grid, maps, message.opt_weight_shard_step, message.opt_weight_shard_size,
            split_shape, message.field, stages,
        )  # fmt: skip

    @staticmethod
    def from_list(name, entry):
        """Return the slicing of [dev_matrix, tensor_map, split_shape, field, step, size, ...]."""
        entry = list(entry) + [0] * (6 - len(entry))
        maps = [n if isinstance(n, (list, tuple)) else [n] for n in entry[1]]
        size = entry[5] if isinstance(entry[5], int) else 0
        return Slicing._checked(
            name, tuple(entry[0]), maps, entry[4], size, tuple(entry[2] or ()), entry[3], (0,)
        )

    @staticmethod
    def _checked(name, grid, maps, step, size, split_shape, field, stages):
        if not all(n >= 1 for n in grid) or math.prod(grid) > _MOST_RANKS or field < 0:
            got = list(grid)
            raise rejection("device-matrix-sizes-1", name, most=_MOST_RANKS, got=got, field=field)
        axes = [len(grid) - 1 - n for m in maps for n in m if n != -1]
        if len({*axes}) < len(axes) or any(not 0 <= a < len(grid) for a in axes):
            raise rejection("tensor-map-name-axes", name, grid=list(grid), got=maps)
        dims = tuple(tuple(len(grid) - 1 - n for n in m if n != -1) for m in maps)
        free = math.prod(grid[a] for a in range(len(grid)) if a not in axes)
        size = free if size == -1 else size if step else 0
        fits = not size or (free % size == 0 and dims)
        require(fits, "optimizer-divide-what-ranks", name, free=free, size=size)
        return Slicing(grid, dims, 0 if size < 2 else size, split_shape, field, stages)

    @property
    def ranks(self):
        """The number of ranks of a stage."""
        return math.prod(self.dev_matrix)

    def shard_counts(self):
        """Return the number of parts of each dimension."""
        counts = [math.prod(self.dev_matrix[a] for a in axes) for axes in self.tensor_map]
        if self.shards:
            counts[0] *= self.shards
        return counts

    def free_axes(self):
        """Return the grid axes along which ranks hold the same part, without the optimizer's."""
        used = set(itertools.chain(*self.tensor_map))
        return [a for a in range(len(self.dev_matrix)) if a not in used]

    def index(self, rank):
        """Return the index of a rank's part along each dimension."""
        coordinates = np.unravel_index(rank, self.dev_matrix)
        indices = []
        for axes in self.tensor_map:
            index = 0
            for a in axes:
                index = index * self.dev_matrix[a] + int(coordinates[a])
            indices.append(index)
        if self.shards:
            indices[0] = indices[0] * self.shards + self.optimizer_part(coordinates)
        return indices

    def optimizer_part(self, coordinates):
        """Return the index of the optimizer's part at a grid position; 0 if it does not divide."""
        left, scale, shard = max(self.shards, 1), 1, 0
        for a in reversed(self.free_axes()):
            size = math.gcd(self.dev_matrix[a], left)
            shard += scale * (int(coordinates[a]) % size)
            scale, left = scale * size, left // size
        return shard

    def region(self, rank, shape):
        """Return the (begin, end) of a rank's part along each dimension of the whole tensor."""
        counts, index = self.shard_counts(), self.index(rank)
        bounds = []
        for dim, size in enumerate(shape):
            n, i = (counts[dim], index[dim]) if dim < len(counts) else (1, 0)
            bounds.append((size // n * i, size // n * (i + 1)))
        return bounds

    def whole(self, shape):
        """Return the shape of the whole tensor, from the shape of a part."""
        counts = self.shard_counts()
        return tuple([n * (counts[k] if k < len(counts) else 1) for k, n in enumerate(shape)])

    def alike(self, rank):
        """Return the ranks that have the same part as a rank."""
        index = self.index(rank)
        return [r for r in range(self.ranks) if self.index(r) == index]

    def nearest(self, rank, other):
        """Return a sort key for ranks that have the same part: nearest to `rank` first, by the
        number of grid axes in which they differ, then by the difference of ranks."""
        pairs = zip(*[np.unravel_index(r, self.dev_matrix) for r in (rank, other)], strict=True)
        return sum(a != b for a, b in pairs), abs(rank - other)


WHOLE = Slicing((1,), ())


@contextlib.contextmanager
def described_in(who, path):
    """Add the file's name to errors about layouts in this context."""
    try:
        yield
    except ValueError as error:
        raise rejection("strategy-file-describe-layouts", who, path=path, cause=error) from None


def slicings(who: str, strategy: Any, stage: int | None = None) -> Any:
    """Return {parameter: `Slicing`} of a strategy file's path, its messages, or lists; None for
    None.

    `stage`: the stage whose layout is used for a parameter of several pipeline stages; by default
    the first.
    """
    if strategy is None:
        return None
    if isinstance(strategy, str):
        messages = strategy_file.read(who, strategy)
        with described_in(who, strategy):
            return slicings(who, messages, stage)
    require(isinstance(strategy, dict), "strategy-name-file-dict", who, got=strategy)
    chosen, stages = {}, {}
    for name, entry in strategy.items():
        staged = _STAGED.fullmatch(name)
        n, plain = (int(staged[1]), staged[2]) if staged else (0, name)
        stages.setdefault(plain, []).append(n)
        if (
            plain not in chosen
            or n == stage
            or (n < chosen[plain][0] and chosen[plain][0] != stage)
        ):
            chosen[plain] = n, entry
    return {
        name: (Slicing.from_list(name, entry) if isinstance(entry, (list, tuple))
               else Slicing.from_message(name, entry))._replace(stages=tuple(sorted(stages[name])))
        for name, (_, entry) in chosen.items()
    }  # fmt: skip


def ranks_needed(source: Slicing, target: Slicing, rank: int) -> list[int]:
    """Return the source's ranks whose parts make up the part of a rank of the target."""
    home = rank % source.ranks
    dims = max(len(source.tensor_map), len(target.tensor_map), 1)
    shape = [math.lcm(s, t) for s, t in itertools.zip_longest(
        source.shard_counts() or [1], target.shard_counts() or [1], fillvalue=1)]  # fmt: skip
    shape += [1] * (dims - len(shape))
    wanted = target.region(rank % target.ranks, shape)
    by_index = {}
    for r in range(source.ranks):
        if _overlap(source.region(r, shape), wanted) is not None:
            by_index.setdefault(tuple(source.index(r)), []).append(r)
    return [min(ranks, key=functools.partial(source.nearest, home)) for ranks in by_index.values()]


def _overlap(one, other):
    """Return the intersection of two regions; None if it is empty."""
    bounds = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(one, other, strict=True)]
    return bounds if all(a < b for a, b in bounds) else None


def assembled(name: str, pieces: Any, source: Slicing, target: Slicing, rank: int) -> np.ndarray:
    """Assemble the array of a rank of the target from `pieces`, {rank of the source: array}.

    Raises ValueError if a piece is missing or a size is not divisible.
    """
    some = next(iter(pieces.values()))
    shape = source.whole(some.shape)
    for dim, (size, n) in enumerate(zip(shape, target.shard_counts(), strict=False)):
        fits, fields = size % n == 0, {"shape": shape, "dim": dim, "size": size}
        require(fits, "dimension-multiple-of-parts", name, n=n, **fields)
    wanted = target.region(rank % target.ranks, shape)
    sizes = [b - a for a, b in wanted]
    if math.prod(sizes) > sum(piece.size for piece in pieces.values()):  # before allocation
        raise _incomplete(name, pieces, source)
    array = np.empty(sizes, some.dtype)
    filled = np.zeros(array.shape, bool)
    for r in sorted(pieces, key=functools.partial(source.nearest, rank % source.ranks)):
        own = source.region(r, shape)
        shared = _overlap(own, wanted)
        if shared is None or pieces[r].shape != some.shape:
            if shared is None:
                continue
            got, other = pieces[r].shape, some.shape
            raise rejection("parts-all-ranks-one", name, r=r, shape=got, other=other)
        there = tuple([slice(a - c, b - c) for (a, b), (c, _) in zip(shared, wanted, strict=True)])
        here = tuple([slice(a - c, b - c) for (a, b), (c, _) in zip(shared, own, strict=True)])
        if not filled[there].all():
            array[there], filled[there] = pieces[r][here], True
    if not filled.all():
        raise _incomplete(name, pieces, source)
    return array


def _incomplete(name, pieces, source):
    return rejection("checkpoints-all-ranks-parts", name, pieces=sorted(pieces), ranks=source.ranks)
