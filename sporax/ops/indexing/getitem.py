"""Tensor's `x[index]`, `x[index] = y` and iteration, with NumPy's meaning.

Integers, lists and NumPy arrays out of range raise IndexError. Index Tensors do so at the next read
(see `index_checks.checks`); unchecked, a read gives NaN (the most extreme value of an integer
dtype, True of Bool) and a write has no effect. A mask whose True elements must be counted, as in
`x[mask]`, is read, and so is a Tensor that bounds a slice; `x[mask] = 0` reads nothing.

A result of integers and slices shares memory with the source, as every view does: `x[0][1] = 9`
writes to `x` (`storage.views`). A result of an index array or a mask is a new tensor.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.core.jax_internals import is_symbolic
from sporax._src.core.tensor import Tensor, new_value
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply, wrap
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.index_checks.checks import apply_within, check
from sporax._src.runtime.index_checks.ranges import Range
from sporax._src.runtime.numpy_interpreter.polymorphic import signature
from sporax._src.runtime.storage.view_access import Block
from sporax._src.runtime.storage.views import view
from sporax.ops.declare import attach
from sporax.ops.indexing.index_pattern import (
    ARRAY,
    INT,
    NEW,
    NONE,
    SCALAR,
    MaskOf,
    Parser,
    Span,
    items_of,
    numbers_of,
)  # fmt: skip

# on arrays ----------------------------------------------------------------------------------


class Window(Block):
    """The block of an array that a pattern's slices select.

    With `single`, integers are blocks of one element; else they are left for an advanced index.
    """

    def __init__(self, pattern, shape, operands, single):
        super().__init__([], [], [])
        self.shape, self.index_operands = shape, []
        operands = iter(operands)
        for entry in pattern:
            if entry == INT and single:
                self._axis(next(operands), 1, 1)
            elif entry in (INT, SCALAR, ARRAY):
                self.index_operands.append(next(operands))
                self._axis(0, shape[len(self.lows)], 1)
            elif isinstance(entry, Span):
                low = next(operands) if entry.low is None else entry.low
                self._axis(low, max((entry.length - 1) * abs(entry.step) + 1, 0), entry.step)
            elif isinstance(entry, MaskOf):
                self.index_operands.append(next(operands))
                for _ in range(entry.ndim):
                    self._axis(0, shape[len(self.lows)], 1)
        for n in shape[len(self.lows) :]:
            self._axis(0, n, 1)

    def _axis(self, low, span, step):
        self.lows.append(low)
        self.spans.append(span)
        self.steps.append(step)


def _get(pattern, x, *operands):
    basic = _is_basic(pattern)
    window = Window(pattern, x.shape, operands, basic)
    x = window.get(x)
    if basic:
        return x.reshape(_basic_shape(pattern, x.shape))
    return x.at[_advanced(pattern, window)].get(mode="fill")


def _set(pattern, x, value, *operands):
    require(not jnp.iscomplexobj(value) or jnp.iscomplexobj(x), "complex-number-does-not")
    value = value.astype(x.dtype)
    basic = _is_basic(pattern)
    window = Window(pattern, x.shape, operands, basic)
    if not basic:
        index, block = _advanced(pattern, window), window.get(x)
        taken = jax.eval_shape(lambda: block.at[index].get())
        return window.put(x, block.at[index].set(_fit(value, taken.shape), mode="drop"))
    masks = [entry for entry in pattern if isinstance(entry, MaskOf)]
    if masks:
        return window.put(x, _blend(pattern, window, window.get(x), value))
    value = _fit(value, _basic_shape(pattern, tuple(window.lengths)))
    return window.put(x, value.reshape(window.lengths))


def _is_basic(pattern):
    """Return True if the pattern has only blocks, without index Tensors or arrays."""
    return ARRAY not in pattern and SCALAR not in pattern


def _basic_shape(pattern, lengths):
    """Return the shape of a block after integers and new axes are applied."""
    shape, axis = [], 0
    for entry in pattern:
        if entry == NEW:
            shape.append(1)
            continue
        if isinstance(entry, Span):
            shape.append(lengths[axis])
        axis += 1
    return tuple(shape) + tuple(lengths[axis:])


def _advanced(pattern, window):
    """Return the block's index for JAX: slices are whole at this point."""
    remaining, index = iter(window.index_operands), []
    for entry in pattern:
        if entry == NEW:
            index.append(None)
        elif isinstance(entry, Span):
            index.append(slice(None))
        else:
            i = next(remaining)
            index.append(i.astype(jnp.int32) if i.dtype.itemsize < 4 else i)
    return tuple(index)


def _fit(value, shape):
    """Broadcast `value` to the shape that an index selects."""
    extra = value.ndim - len(shape)
    if extra > 0 and set(value.shape[:extra]) == {1}:
        value = value.reshape(value.shape[extra:])
    try:
        return jnp.broadcast_to(value, shape)
    except ValueError:
        raise rejection("value-shape-does-not", shape=value.shape, shape2=shape) from None


def _bounds(pattern, shape, operands):
    """Return the valid ranges of a pattern's index Tensors and arrays."""
    ranges, axis, remaining = [], 0, iter(operands)
    for entry in pattern:
        if entry == NEW:
            continue
        if entry in (SCALAR, ARRAY):
            ranges.append(Range(next(remaining), shape[axis], axis))
        elif entry == INT or isinstance(entry, MaskOf) or entry.low is None:
            next(remaining)
        axis += entry.ndim if isinstance(entry, MaskOf) else 1
    return ranges


def _blend(pattern, window, block, value):
    """Return `block` with `value` where the mask is True; all True elements get the same."""
    before, hidden = _mask_position(pattern)
    after = block.ndim - before - len(hidden)
    ndim = before + 1 + after
    shape = (*(1,) * (ndim - value.ndim), *value.shape[max(value.ndim - ndim, 0) :])
    value = value.reshape(*shape[:before], *(1,) * len(hidden), *shape[before + 1 :])
    (mask,) = window.index_operands
    sizes = iter(mask.shape)
    mask = mask.reshape(
        *(1,) * before, *[next(sizes) if masked else 1 for masked in hidden], *(1,) * after
    )
    fits = all(v in (1, n) for v, n in zip(value.shape, block.shape, strict=True))
    require(fits, "value-does-not-fit", shape=block.shape)
    return jnp.where(mask, value, block)


def _mask_position(pattern):
    """Return the number of axes before the mask and the integers beside it, and for each of their
    axes True if it is the mask's."""
    before, hidden = 0, []
    for entry in pattern:
        if entry == INT:
            hidden.append(False)
        elif isinstance(entry, MaskOf):
            hidden += [True] * entry.ndim
        elif not hidden:
            before += 1
    return before, hidden


class Getting(Op):
    """`x[index]` for one pattern."""

    __slots__ = ()

    def __init__(self, pattern):
        super().__init__("Tensor.__getitem__", lambda x, *operands: _get(pattern, x, *operands))
        self.bounds = lambda x, *operands: _bounds(pattern, x.shape, operands)
        _share_forms(self, pattern)


class Setting(Op):
    """`x[index] = value` for one pattern; the value takes the dtype of `x`."""

    __slots__ = ()

    def __init__(self, pattern):
        super().__init__("Tensor.__setitem__", lambda x, *operands: _set(pattern, x, *operands))
        self.bounds = lambda x, value, *operands: _bounds(pattern, x.shape, operands)
        _share_forms(self, pattern)

    def compute(self, avals, *arrays, real=False):
        x, *operands = arrays
        if real:  # the differentiable form does not round
            x = x.astype(jnp.promote_types(x.dtype, operands[0].dtype))
        return self.fn(x, *operands)


_families = {}  # (kind of operation, its pattern without lengths) -> its OpFamily
forest.tables.append(_families)


def _share_forms(op, pattern):
    """Let operations whose slices differ only in their lengths share a family."""
    if not pattern or any(entry != INT and not isinstance(entry, Span) for entry in pattern):
        return
    lengths = tuple([entry.length for entry in pattern if isinstance(entry, Span)])
    if any(map(is_symbolic, lengths)):
        return
    alike = [entry._replace(length=-1) if isinstance(entry, Span) else entry for entry in pattern]
    op.family = _families.setdefault((op.__class__, *alike, *signature(lengths)), op.family)
    op.sizes = lengths

    def resized(sizes):
        remaining = iter(sizes)
        new = [e if e == INT else e._replace(length=next(remaining)) for e in pattern]
        return op.__class__(tuple(new))

    op.resized = resized


# Tensor's methods ---------------------------------------------------------------------------


class Bound(dict):
    """The operation for each pattern, created on first use."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        forest.tables.append(self)

    def __missing__(self, pattern):
        op = self[pattern] = self.kind(pattern)
        return op


_getting, _setting = Bound(Getting), Bound(Setting)
_first = _getting[(INT,)]


def getitem(self, index):
    """`self[index]`, as in NumPy; see this module for indices out of range, masks and writes.

    >>> Tensor([[1, 2, 3], [4, 5, 6]])[1, ::2].asnumpy()
    array([4, 6])
    """
    if index.__class__ is int and (shape := self._value.aval.shape):
        n = shape[0]
        i = index + n if index < 0 else index
        if 0 <= i < n:
            return view(_first, self, i)
    pattern, operands = Parser("Tensor.__getitem__", self.shape).parse(index)
    require(NONE not in pattern, "bool-index-true", "Tensor.__getitem__")
    get = _getting[pattern]
    if ARRAY in pattern:
        return _door(pattern, operands)(get, self, *operands)
    if SCALAR not in pattern:
        return view(get, self, *operands)
    out = view(get, self, *operands, put=_setting[pattern])
    check(get, self, *operands)
    return out


def setitem(self, index, value) -> Tensor:
    """`self[index] = value`, broadcast to the indexed shape and cast to this dtype. Returns the
    Tensor, for calls by name.

    >>> x = Tensor([1.0, -2.0, 3.0])
    >>> x[x < 0] = 0
    >>> x.asnumpy()
    array([1., 0., 3.], dtype=float32)
    """
    name = "Tensor.__setitem__"
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        is_array = isinstance(value, (np.ndarray, np.generic, list, tuple))
        require(is_array, "value-tensor-number-array", name, got=value)
        value = wrap(new_value(value, None))
    where = _one_for_all(self, index, value)
    pattern, operands = Parser(name, self.shape, where).parse(index)
    if NONE in pattern:  # False selects nothing
        return self
    alias = getattr(self, "_alias", None)
    if alias is not None and alias.repeats() and _is_basic(pattern):
        view = self[index]  # if elements repeat, this view may still have each only once
        view._rebind(apply(_setting[_full_pattern(view)], view, value)._value)
        return self
    do = _door(pattern, operands)
    return self._rebind(do(_setting[pattern], self, value, *operands)._value)


def _full_pattern(x):
    """Return the pattern of all elements."""
    return tuple([Span(0, n, 1) for n in x.shape])


def _door(pattern, operands):
    """Return the function that records the operation: index Tensors are still to be checked."""
    if _is_basic(pattern) or not any([isinstance(x, Tensor) for x in operands]):
        return apply
    return apply_within


def _one_for_all(self, index, value):
    """Return True if the index has one mask, and all its True elements get the same value, so that
    they need not be counted."""
    items = items_of(index)
    masks = [i for i, item in enumerate(items) if _is_mask(item)]
    if len(masks) != 1 or any(_is_array(item) for item in items if not _is_mask(item)):
        return False
    if any(item is None or isinstance(item, (bool, np.bool_)) for item in items):
        return False
    pattern, _ = Parser("Tensor.__setitem__", self.shape, True).parse(index)
    hidden = [i for i, entry in enumerate(pattern) if not isinstance(entry, Span)]
    if hidden[-1] - hidden[0] >= len(hidden):  # integers not next to the mask: NumPy moves axes
        return False
    before, axes = _mask_position(pattern)
    after = self.ndim - before - len(axes)
    shape = np.shape(value) if not isinstance(value, Tensor) else value.shape
    if len(shape) <= after:
        return True
    return shape[-1 - after] == 1 and set(shape[: max(len(shape) - before - 1 - after, 0)]) <= {1}


def _is_mask(item):
    if isinstance(item, Tensor):
        return item._value.aval.dtype.kind == "b"
    return isinstance(item, (np.ndarray, list)) and numbers_of(item).dtype.kind == "b"


def _is_array(item):
    return isinstance(item, (list, tuple, np.ndarray, range, Tensor))


def iterate(self) -> Iterator:
    """Iterate over the first dimension."""
    require(self.shape, "tensor-dimension-0-dimensional", "iter")
    return (self[i] for i in range(self.shape[0]))


attach("__getitem__", getitem)
attach("__setitem__", setitem)
attach("__iter__", iterate)
