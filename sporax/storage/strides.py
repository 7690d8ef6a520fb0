"""Offset and strides of a part of memory."""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np


class Strided(NamedTuple):
    """Element `i` lies at `offset + sum(i * strides)` of a row-major array."""

    shape: tuple
    strides: tuple
    offset: int

    @staticmethod
    def contiguous(shape):
        """Of all elements of a row-major array."""
        steps = itertools.accumulate(reversed(shape[1:]), lambda a, n: a * max(n, 1), initial=1)
        return Strided(tuple(shape), tuple(steps)[::-1] if shape else (), 0)

    @property
    def size(self):
        """How many elements there are."""
        return math.prod(self.shape)

    def is_contiguous(self):
        """Whether the elements follow one another, row by row."""
        usual = Strided.contiguous(self.shape)
        return self.size == 0 or all(
            a == b or n == 1
            for n, a, b in zip(self.shape, self.strides, usual.strides, strict=True)
        )

    def bounds(self):
        """The first and the last place in memory; (0, -1) of none."""
        if not self.size:
            return 0, -1
        ends = [s * (n - 1) for n, s in zip(self.shape, self.strides, strict=True)]
        low = self.offset + sum(min(e, 0) for e in ends)
        return low, self.offset + sum(max(e, 0) for e in ends)

    def overlaps(self):
        """Whether some element is there twice."""
        if self.size <= 1:
            return False
        dims = [(s, n) for n, s in zip(self.shape, self.strides, strict=True) if n > 1]
        if any(s == 0 for s, _ in dims):
            return True
        reach = 0  # sorted by stride, each one steps over all before it
        for s, n in sorted((abs(s), n) for s, n in dims):
            if s <= reach:
                return np.unique(self.indices()).size < self.size
            reach += s * (n - 1)
        return False

    def indices(self):
        """The place in memory of each element."""
        at = np.full(self.shape, self.offset)
        for axis, (n, s) in enumerate(zip(self.shape, self.strides, strict=True)):
            at += (np.arange(n) * s).reshape(-1, *[1] * (len(self.shape) - axis - 1))
        return at

    def reshape(self, shape):
        """In another shape; COPY where no strides give it."""
        shape = tuple(shape)
        if not self.size:
            return Strided.contiguous(shape)._replace(offset=self.offset)
        old = [(n, s) for n, s in zip(self.shape, self.strides, strict=True) if n != 1]
        merged = []  # neighbours that step as one
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
        """With its dimensions in another order."""
        return Strided(
            tuple([self.shape[i] for i in order]),
            tuple([self.strides[i] for i in order]),
            self.offset,
        )

    def slice(self, starts, stops, steps=None):
        """The elements from `starts` up to `stops`."""
        steps = steps or [1] * len(self.shape)
        sizes = [max(-(-(b - a) // s), 0) for a, b, s in zip(starts, stops, steps, strict=True)]
        offset = self.offset + sum(a * s for a, s in zip(starts, self.strides, strict=True))
        strides = tuple([s * k for s, k in zip(self.strides, steps, strict=True)])
        return Strided(tuple(sizes), strides, offset)

    def reverse(self, axes):
        """With some dimensions turned round."""
        offset = self.offset + sum((self.shape[i] - 1) * self.strides[i] for i in axes)
        strides = tuple([-s if i in axes else s for i, s in enumerate(self.strides)])
        return Strided(self.shape, strides, offset)

    def broadcast(self, shape, places):
        """Dimension `i` as number `places[i]` of a larger shape; the others repeat."""
        strides = [0] * len(shape)
        for n, s, place in zip(self.shape, self.strides, places, strict=True):
            strides[place] = s if n == shape[place] else 0
        return Strided(tuple(shape), tuple(strides), self.offset)

    def diagonal(self, offset, dim1, dim2):
        """The diagonal of two dimensions, as the last one."""
        a, b = dim1 % len(self.shape), dim2 % len(self.shape)
        rows, columns = self.shape[a], self.shape[b]
        n = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
        start = max(-offset, 0) * self.strides[a] + max(offset, 0) * self.strides[b]
        rest = [i for i in range(len(self.shape)) if i not in (a, b)]
        return Strided(
            (*[self.shape[i] for i in rest], n),
            (*[self.strides[i] for i in rest], self.strides[a] + self.strides[b]),
            self.offset + (start if n else 0),
        )


class _Copy:
    """In place of a layout: the elements had to be copied, they lie nowhere in that memory."""

    def __repr__(self):
        return "COPY"


COPY: Any = _Copy()
