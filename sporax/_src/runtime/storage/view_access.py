"""The layout of a view in its storage, and the operations that read and write through it.

`through` propagates a layout through a jaxpr of operations that only rearrange elements. `access`
turns a layout into slices of a reshaped array: a read is a slice, a write an update of that slice.
"""

import functools
import itertools
import math
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.core.jax_internals import called, interpret
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.storage.strides import COPY, Strided

# through a jaxpr ----------------------------------------------------------------------------


def _dynamic_slice(layout, *starts, slice_sizes):
    low = [
        min(max(int(i), 0), n - k)
        for i, n, k in zip(starts, layout.shape, slice_sizes, strict=True)
    ]
    return layout.slice(low, [a + n for a, n in zip(low, slice_sizes, strict=True)])


def _split(layout, sizes, axis):
    ends = list(itertools.accumulate(sizes, initial=0))
    layouts = []
    for a, b in itertools.pairwise(ends):
        starts, stops = [0] * len(layout.shape), list(layout.shape)
        starts[axis], stops[axis] = a, b
        layouts.append(layout.slice(starts, stops))
    return layouts


# primitive that only rearranges elements -> rule from the operand's layout to the result's
_RULES = {
    "broadcast_in_dim": lambda x, *_, shape, broadcast_dimensions, **__: x.broadcast(
        shape, broadcast_dimensions
    ),
    "convert_element_type": lambda x, **_: x,
    "copy": lambda x, **_: x,
    "copy_p": lambda x, **_: x,
    "dynamic_slice": _dynamic_slice,
    "reshape": lambda x, *_, new_sizes, **__: x.reshape(new_sizes),
    "rev": lambda x, dimensions: x.reverse(dimensions),
    "slice": lambda x, start_indices, limit_indices, strides: x.slice(
        start_indices, limit_indices, strides
    ),
    "split": _split,
    "squeeze": lambda x, dimensions: x.reshape(
        [n for i, n in enumerate(x.shape) if i not in dimensions]
    ),
    "stop_gradient": lambda x, **_: x,
    "transpose": lambda x, permutation: x.transpose(permutation),
}


def through(closed, layout, operands):
    """Return the layouts of a closed jaxpr's outputs; the first input has `layout`, the other
    inputs are concrete integers."""
    return tuple(_follow(closed.jaxpr, closed.consts, [layout, *map(np.asarray, operands)]))


def _follow(jaxpr, consts, inputs):
    return interpret(jaxpr, consts, inputs, _layouts, lambda atom: atom.val)


def _layouts(equation, operands):
    """Return the layouts, or integers, of an equation's results."""
    name, inner = equation.primitive.name, called(equation)
    if inner is not None:
        return _follow(*inner, operands)
    if any(x is COPY for x in operands):
        return [COPY] * len(equation.outvars)
    if any(x.__class__ is Strided for x in operands):
        require(name in _RULES, "no-layout-known-results", name=name)
        result = _RULES[name](*operands, **equation.params)
    else:  # index arithmetic
        result = equation.primitive.bind(*operands, **equation.params)
    is_list = isinstance(result, (list, tuple)) and result.__class__ is not Strided
    return result if is_list else [result]


# reading and writing ------------------------------------------------------------------------


class Block:
    """A block of an array: its lowest index, its extent and its step along each axis."""

    def __init__(self, lows, spans, steps):
        self.lows, self.spans, self.steps = lows, spans, steps

    def starts(self):
        """Return the lowest index of each axis, as operands of a dynamic slice."""
        return [jnp.asarray(low, jnp.int64) for low in self.lows]

    @property
    def lengths(self):
        """Sizes of the axes of the block."""
        return [-(-span // abs(step)) for span, step in zip(self.spans, self.steps, strict=True)]

    def reversed(self, x):
        """Reverse the axes of `x` that have negative steps."""
        axes = [i for i, step in enumerate(self.steps) if step < 0]
        return lax.rev(x, axes) if axes else x

    def block(self, x):
        """Return the contiguous block of `x` from the first to the last index along each axis."""
        if tuple(self.spans) == x.shape:
            return x
        if all(isinstance(low, int) for low in self.lows):
            stops = [low + span for low, span in zip(self.lows, self.spans, strict=True)]
            return lax.slice(x, self.lows, stops)
        return lax.dynamic_slice(x, self.starts(), self.spans, allow_negative_indices=False)

    def get(self, x):
        """Return the elements of the block."""
        x = self.block(x)
        if any(abs(step) > 1 for step in self.steps):
            x = lax.slice(x, [0] * x.ndim, x.shape, [abs(step) for step in self.steps])
        return self.reversed(x)

    def put(self, x, new):
        """Return `x` with the elements of the block replaced by `new`."""
        new = self.reversed(new)
        if any(abs(step) > 1 for step in self.steps):
            gaps = [(0, 0, abs(step) - 1) for step in self.steps]
            there = lax.pad(jnp.ones(new.shape, bool), False, gaps)
            spread = lax.pad(new, jnp.zeros((), new.dtype), gaps)
            new = jnp.where(there, spread, self.block(x))
        if tuple(self.spans) == x.shape:
            return new
        return lax.dynamic_update_slice(x, new, self.starts(), allow_negative_indices=False)


class Slices(NamedTuple):
    """Access by a block of a reshaped array; the start of the block is an operand.

    `shape`: of the view; `axes`: the shape that the array is reshaped to; `lengths` and `steps`: of
    the block, with negative steps along reversed axes; `moving`: the dimensions of the view with
    more than one element and a nonzero stride; `order`: the block's axis for each of these.
    """

    shape: tuple
    axes: tuple
    lengths: tuple
    steps: tuple
    order: tuple
    moving: tuple

    def _block(self, starts):
        spans = [(n - 1) * abs(s) + 1 for n, s in zip(self.lengths, self.steps, strict=True)]
        return Block(starts, spans, self.steps)

    def read(self, x, *starts):
        """Return the elements in the shape of the view."""
        result = self._block(starts).get(x.reshape(self.axes))
        sizes = self.lengths[: len(self.order)]
        result = result.reshape(sizes).transpose(self.order)
        return jnp.broadcast_to(result.reshape(self._single()), self.shape)

    def write(self, x, new, *starts):
        """Return `x` with the elements of `new`; the first wins if several share a memory index."""
        new = new[tuple([slice(None, n) for n in self._single()])]
        new = new.reshape([self.shape[i] for i in self.moving])
        new = new.transpose(np.argsort(np.array(self.order, int)).tolist())
        block = self._block(starts)
        return block.put(x.reshape(self.axes), new.reshape(self.lengths)).reshape(x.shape)

    def _single(self):
        return tuple([n if i in self.moving else min(n, 1) for i, n in enumerate(self.shape)])


class Scattered(NamedTuple):
    """Access by a gather or scatter, for layouts that are not a slice; the offset is an operand."""

    shape: tuple
    strides: tuple

    def _indices(self, offset):
        indices = jnp.asarray(offset, jnp.int64)
        for axis, s in enumerate(self.strides):
            indices = indices + lax.broadcasted_iota(jnp.int64, self.shape, axis) * s
        return jnp.broadcast_to(indices, self.shape)

    def read(self, x, offset):
        """Return the elements in the shape of the view."""
        return x.reshape(-1)[self._indices(offset)]

    def write(self, x, new, offset):
        """Return `x` with the elements of `new`; any one wins if several share a memory index."""
        return x.reshape(-1).at[self._indices(offset)].set(new).reshape(x.shape)


class Nothing(NamedTuple):
    """Access for a view without elements."""

    shape: tuple

    def read(self, x):
        """Return an empty array."""
        return jnp.zeros(self.shape, x.dtype)

    def write(self, x, new):
        """Return `x` unchanged."""
        return x


@functools.lru_cache(maxsize=4096)
def access(base, layout):
    """Return (`Slices`, `Scattered` or `Nothing`, its start operands) for `layout` in an array of
    shape `base`."""
    if not layout.size:
        return Nothing(layout.shape), ()
    moving = [
        i for i, (n, s) in enumerate(zip(layout.shape, layout.strides, strict=True)) if n > 1 and s
    ]
    low = layout.bounds()[0]
    axes, starts, lengths, steps = [], [], [], []
    sorted_dims = sorted(moving, key=lambda i: -abs(layout.strides[i]))
    left = math.prod(base)
    for i in sorted_dims:
        n, stride = layout.shape[i], abs(layout.strides[i])
        inner = math.gcd(left, stride)
        size, step = left // inner, stride // inner
        start, low = divmod(low, inner)
        if start + (n - 1) * step >= size:
            return Scattered(layout.shape, layout.strides), (layout.offset,)
        axes.append(size)
        starts.append(start)
        lengths.append(n)
        steps.append(step if layout.strides[i] > 0 else -step)
        left = inner
    if left > 1 or not axes:
        axes, starts = [*axes, left], [*starts, low]
        lengths, steps = [*lengths, 1], [*steps, 1]
    order = tuple([sorted_dims.index(i) for i in moving])
    key = Slices(layout.shape, tuple(axes), tuple(lengths), tuple(steps), order, tuple(moving))
    return key, tuple(starts)


class _Table(dict):
    """Maps an access to the operation that reads, or writes, with it; filled on demand."""

    def __init__(self, name, method):
        super().__init__()
        self.name, self.method = name, method
        forest.tables.append(self)

    def __missing__(self, key):
        result = self[key] = Op(self.name, getattr(key, self.method))
        return result


_reading, _writing = _Table("read_view", "read"), _Table("write_view", "write")


# segments of a path -------------------------------------------------------------------------


class Part(NamedTuple):
    """Segment of a path: the elements at `layout` of an array with shape `shape`."""

    shape: tuple
    layout: Any

    def read(self, x):
        """Return the elements of `x` at the layout."""
        key, starts = access(self.shape, self.layout)
        return apply(_reading[key], x, *starts)

    def write(self, x, new):
        """Return `x` with `new` at the layout."""
        key, starts = access(self.shape, self.layout)
        return apply(_writing[key], x, new, *starts)

    def is_writable(self):
        """Return True if no two elements share a memory index."""
        return not self.layout.overlaps()

    def check(self, name):
        """Raise RuntimeError if elements share a memory index."""
        if not self.is_writable():
            shape = self.layout.shape
            raise rejection("view-written-element-memory", "Tensor", shape=shape, name=name)


class Dynamic(NamedTuple):
    """Segment of a path whose layout depends on Tensors, or that reinterprets the dtype.

    `get`: the operation; `put`: its inverse, or None.
    """

    get: Any
    put: Any
    operands: tuple
    aval: Any

    def read(self, x):
        """Apply `get` to `x`."""
        return apply(self.get, x, *self.operands)

    def write(self, x, new):
        """Apply `put` to `x` and `new`."""
        return apply(self.put, x, new, *self.operands)

    def is_writable(self):
        """Return True if there is an inverse."""
        return self.put is not None

    def check(self, name):
        """Raise RuntimeError unless there is an inverse."""
        if not self.is_writable():
            dtype = self.aval.dtype.name
            raise rejection("view-written-dtype-memory", "Tensor", name=name, dtype=dtype)


def read(x, path):
    """Return the elements of the Tensor `x` at the end of a path."""
    for segment in path:
        x = segment.read(x)
    return x


def write(x, path, new):
    """Return the Tensor `x` with `new` at the end of a path."""
    if not path:
        return new
    first, *remaining = path
    return first.write(x, write(first.read(x), remaining, new) if remaining else new)
