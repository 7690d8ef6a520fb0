"""Strided layouts of a part of memory."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np


class Strided(NamedTuple):
    """A layout: the element with index `i` is at `offset + sum(i * strides)` of a row-major
    array."""

    shape: tuple
    strides: tuple
    offset: int

    @staticmethod
    def contiguous(shape):
        """Return the layout of a whole row-major array."""
        steps = itertools.accumulate(reversed(shape[1:]), lambda a, n: a * max(n, 1), initial=1)
        return Strided(tuple(shape), tuple(steps)[::-1] if shape else (), 0)

    @property
    def size(self):
        """Number of elements."""
        return math.prod(self.shape)

    def is_contiguous(self):
        """Return True if the elements are contiguous in row-major order."""
        usual = Strided.contiguous(self.shape)
        return self.size == 0 or all(
            a == b or n == 1
            for n, a, b in zip(self.shape, self.strides, usual.strides, strict=True)
        )

    def bounds(self):
        """Return the first and the last memory index; (0, -1) if the layout is empty."""
        if not self.size:
            return 0, -1
        ends = [s * (n - 1) for n, s in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(min(e, 0) for e in ends)
        return low, self.offset + sum(max(e, 0) for e in ends)

    def overlaps(self):
        """Return True if two indices refer to the same element."""
        if self.size <= 1:
            return False
        dims = [(s, n) for n, s in zip(self.shape, self.strides, strict=True) if n > 1]
        if any(s == 0 for s, _ in dims):
            return True
        reach = 0  # distinct if, sorted by stride, each stride exceeds the reach of all before it
        for s, n in sorted((abs(s), n) for s, n in dims):
            if s <= reach:
                return np.unique(self.indices()).size < self.size
            reach += s * (n - 1)
        return False

    def indices(self):
        """Return the memory index of each element."""
        indices = np.full(self.shape, self.offset)
        for axis, (n, s) in enumerate(zip(self.shape, self.strides, strict=True)):
            indices += (np.arange(n) * s).reshape(-1, *[1] * (len(self.shape) - axis - 1))
        return indices

    def reshape(self, shape):
        """Return the layout in another shape; COPY if strides cannot express it."""
        shape = tuple(shape)
        if not self.size:
            return Strided.contiguous(shape)._replace(offset=self.offset)
        old = [(n, s) for n, s in zip(self.shape, self.strides, strict=True) if n != 1]
        merged = []  # adjacent dimensions that are equivalent to one dimension
        for n, s in old:
            if merged and merged[-1][1] == s * n:
                merged[-1] = merged[-1][0] * n, s
            else:
                merged.append((n, s))
        strides, blocks = [], iter(reversed(merged))
        left, step = next(blocks, (1, 1))
        for n in reversed(shape):
            if n == 1:
                strides.append(step * left)
                continue
            if left == 1:
                left, step = next(blocks)
            if left % n:
                return COPY
            strides.append(step)
            left, step = left // n, step * n
        return Strided(shape, tuple(strides[::-1]), self.offset)

    def transpose(self, order):
        """Return the layout with its dimensions permuted."""
        return Strided(
            tuple([self.shape[i] for i in order]),
            tuple([self.strides[i] for i in order]),
            self.offset,
        )

    def slice(self, starts, stops, steps=None):
        """Return the layout of the elements from `starts` (inclusive) to `stops` (exclusive)."""
        steps = steps or [1] * len(self.shape)
        sizes = [max(-(-(b - a) // s), 0) for a, b, s in zip(starts, stops, steps, strict=True)]
        offset = self.offset + sum(a * s for a, s in zip(starts, self.strides, strict=True))
        strides = tuple([s * k for s, k in zip(self.strides, steps, strict=True)])
        return Strided(tuple(sizes), strides, offset)

    def reverse(self, axes):
        """Return the layout with the dimensions `axes` reversed."""
        offset = self.offset + sum((self.shape[i] - 1) * self.strides[i] for i in axes)
        strides = tuple([-s if i in axes else s for i, s in enumerate(self.strides)])
        return Strided(self.shape, strides, offset)

    def broadcast(self, shape, dims):
        """Broadcast to `shape`: dimension `i` becomes dimension `dims[i]`."""
        strides = [0] * len(shape)
        for n, s, dim in zip(self.shape, self.strides, dims, strict=True):
            strides[dim] = s if n == shape[dim] else 0
        return Strided(tuple(shape), tuple(strides), self.offset)

    def diagonal(self, offset, dim1, dim2):
        """Return the layout of the diagonal of two dimensions, as the last dimension."""
        a, b = dim1 % len(self.shape), dim2 % len(self.shape)
        rows, columns = self.shape[a], self.shape[b]
        n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
        start = max(-offset, 0) * self.strides[a] + max(offset, 0) * self.strides[b]
        others = [i for i in range(len(self.shape)) if i not in (a, b)]
        return Strided(
            (*[self.shape[i] for i in others], n),
            (*[self.strides[i] for i in others], self.strides[a] + self.strides[b]),
            self.offset + (start if n else 0),
        )


class _Copy:
    """Placeholder for a layout: the elements had to be copied, so they are not in that memory."""

    def __repr__(self):
        return "COPY"


COPY: Any = _Copy()
