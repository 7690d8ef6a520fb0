"""Tensors that share memory: views, and writes through them.

Arrays are immutable, so sharing is functionalised. A handle that a view operation such as `reshape`
or `x[1:]` returns keeps an `Alias`: the `Storage` that it shares with the handle it was derived
from, and its path from the root. A write to one handle (`Tensor._rebind`) rebinds all other live
handles of the storage to the Values that they would have with shared memory: the root by the
inverse of the path, views by their paths from the root. Reading has no overhead, and a view that is
not written through costs one object and two weak references.

A path (`Alias.path`) is a tuple of segments: `Part`, a part of the memory by offset and strides,
and `Dynamic`, an operation whose layout is known only when it runs. It is computed at the first
write, from the operation's jaxpr.
"""

import functools
from typing import Any
from weakref import ref

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor, bind_all, falls_back
from sporax._src.core.value import Aval
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply, wrap
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.storage.lending import is_visible
from sporax._src.runtime.storage.strides import COPY, Strided
from sporax._src.runtime.storage.view_access import Dynamic, Part, read, through, write


def view(op, source, *operands, put=None):
    """Apply an operation whose results share the memory of its first operand.

    `put`: the inverse operation `(source, result, *operands) -> source`, if the layout of the
    result depends on Tensor operands.
    """
    out = apply(op, source, *operands)
    if isinstance(source, Tensor) and not falls_back(source):
        if out.__class__ is tuple:
            for i, result in enumerate(out):
                _link(result, source, op, operands, i, put)
        else:
            _link(out, source, op, operands, 0, put)
    return out


def _link(out, source, op, operands, output, put):
    if out._value.aval.dtype is not source._value.aval.dtype and op.layout is not REINTERPRETED:
        return  # autocast for `Cell.to_float`: a copy
    parent = getattr(source, "_alias", None) or share(source)
    alias = out._alias = Alias(parent.storage, parent, op, operands, output, put)
    alias.storage.add(out)


def share(handle):
    """Make a handle the root of a new storage; return its alias."""
    storage = Storage(handle._value.aval, ref(handle))
    alias = handle._alias = Alias(storage, None, None, (), 0, None)
    return alias


class Storage:
    """The memory that several handles share; `root` is the handle of the whole memory.

    `before`: if this storage holds a copy (a `reshape` that strides cannot express), the storage of
    the copied handle, where handles derived from the copy are still listed. `extent`: the size in
    bytes set by `UntypedStorage.resize_`, if it differs from the root's.
    """

    __slots__ = ("aval", "before", "extent", "handles", "is_state", "limit", "root")

    shared_states = 0  # counts handles added to storages that captured functions use

    def __init__(self, aval, root, before=None):
        self.aval, self.root, self.before = aval, root, before
        self.handles = [root]
        self.limit = 16
        self.is_state = False
        self.extent = None

    def add(self, handle):
        """Register a handle that shares the memory."""
        if len(self.handles) >= self.limit:
            self.handles = [r for r in self.handles if r() is not None]
            self.limit = 2 * len(self.handles) + 16
        self.handles.append(ref(handle))
        if self.is_state:
            Storage.shared_states += 1

    def is_shared(self):
        """Return True if more than one handle was ever registered."""
        return len(self.handles) > 1 or self.before is not None

    def alive(self):
        """Return the live handles of this memory; move handles of copies to their own storage."""
        if self.before is not None:
            before, self.before = self.before, None
            before.alive()
        handles = [h for r in self.handles if (h := r()) is not None]
        mine = []
        for handle in handles:
            alias = handle._alias
            alias.resolve()
            if alias.storage is self:
                mine.append(handle)
                continue
            alias.storage.add(handle)  # result of a `reshape` that had to copy, or a view of one
            if alias.parent is None:
                alias.storage.root = ref(handle)
        self.handles = [ref(h) for h in mine]
        return mine


class Alias:
    """A handle's view of a storage: result `output` of `op` on `parent`; None for a root."""

    __slots__ = ("_path", "op", "operands", "output", "parent", "put", "storage")

    _path: Any
    parent: Any

    def __init__(self, storage, parent, op, operands, output, put):
        self.storage, self.parent, self.op, self.output = storage, parent, op, output
        self.operands, self.put = operands, put
        if put is not None:  # a Tensor operand may change, its Value cannot
            self.operands = tuple([
                wrap(o._value) if isinstance(o, Tensor) else o for o in operands
            ])  # fmt: skip
        self._path = () if parent is None else None

    @property
    def path(self) -> tuple:
        """Segments from the root to this view."""
        self.resolve()
        return self._path

    def resolve(self):
        """Compute the path; a result that had to be copied becomes the root of a new storage."""
        if self._path is not None:
            return
        parent = self.parent
        path, self.storage = parent.path, parent.storage
        aval = parent.aval
        if self.put is not None or self.op.layout is REINTERPRETED:
            segment = Dynamic(self.op, self.put, self.operands, self._result(aval))
            self._path = (*path, segment)
            return
        leading, last = _split(path, aval)
        layout = _layout(self.op, last.layout, self.operands, self.output, aval)
        if layout is COPY:
            self.parent, self._path = None, ()
            self.storage = Storage(self._result(aval), _gone, self.storage)
        else:
            self._path = (*leading, Part(last.shape, layout))

    def _result(self, aval):
        return self.op.rule((aval, *_avals(self.operands))).avals[self.output]

    @property
    def aval(self):
        """Shape and dtype of the view."""
        if not self.path:
            return self.storage.aval
        last = self.path[-1]
        if last.__class__ is Dynamic:
            return last.aval
        dtypes = [s.aval.dtype for s in self.path if s.__class__ is Dynamic]
        return Aval.intern(last.layout.shape, [self.storage.aval.dtype, *dtypes][-1])

    @property
    def layout(self):
        """Offset and strides of the elements; None if they depend on Tensors."""
        path = self.path
        if not path:
            return Strided.contiguous(self.storage.aval.shape)
        return path[0].layout if len(path) == 1 and path[0].__class__ is Part else None

    def repeats(self):
        """Return True if an element of the memory occurs twice in the view."""
        return not all(s.is_writable() for s in self.path if s.__class__ is Part)

    def leave(self, handle):
        """Detach the handle from its storage: others no longer see writes to it."""
        del handle._alias
        if self.storage.is_state:
            Storage.shared_states += 1
        self.storage.handles = [r for r in self.storage.handles if r() is not handle]
        if self.storage.root() is handle:
            self.storage.root = _gone

    def write(self, handle, value):
        """Bind the handle to `value`, and the handles that share its memory to their new Values."""
        bind_all(self.writes(handle, value))

    def writes(self, handle, value):
        """Return (handle, Value) for each handle that a write of `value` to `handle` changes,
        `handle` first."""
        if value.aval is not handle._value.aval:
            self.leave(handle)
        if self.parent is None and not self.storage.is_shared():
            return [(handle, value)]
        self.resolve()
        others = [h for h in self.storage.alive() if h is not handle and is_visible(h)]
        for segment in self.path:
            segment.check(self.op.name)
        seen = self.seen_by(others, handle, wrap(value)) if others else ()
        return [(handle, value), *[(other, new._value) for other, new in seen]]

    def seen_by(self, others, handle, new):
        """Return (handle, new contents) for the `others` that overlap `handle`, after a write of
        `new` to it."""
        root = self.storage.root()
        if root is None:
            return [
                (other, read(write(filled, self.path, new), path))
                for other in others
                if _meet(self.path, path := other._alias.path)
                for filled in [write(apply(_zeros(self.storage.aval)), path, other)]
            ]
        whole = new if root is handle else write(root, self.path, new)
        return [
            (other, whole if other is root else read(whole, other._alias.path))
            for other in others
            if _meet(self.path, other._alias.path)
        ]


def _gone():
    """Placeholder for a weak reference to a dead root."""


def write_all(pairs):
    """Write (handle, Value) pairs; with respect to interrupts, all are written or none."""
    changes = []
    for handle, value in pairs:
        alias = getattr(handle, "_alias", None)
        if alias is None:
            changes.append((handle, value))
        else:
            changes += alias.writes(handle, value)
    bind_all(changes)


class Sharing:
    """Tracks the tensors that share memory in calls of a captured function that writes to tensors.

    `reads` and `writes`: the state that the function reads and writes besides its arguments,
    including handles; `written`: everything that it writes to.
    """

    def __init__(self, reads, writes, written):
        self._state = [h for h in (*reads, *writes) if isinstance(h, Tensor)]
        self._seen, self._storages = None, set()
        self.matters = bool(written)  # without writes, sharing does not change a graph

    def _update(self):
        if self._seen == Storage.shared_states:
            return
        aliases = [getattr(h, "_alias", None) or share(h) for h in self._state]
        for alias in aliases:
            alias.storage.is_state = True
        self._storages = {id(a.storage) for a in aliases if a.storage.is_shared()}
        self._seen = Storage.shared_states

    def between(self, tensors):
        """Return part of the cache key: (argument index, the storage or earlier argument that it
        shares memory with, its path) for each argument that shares memory."""
        if not self.matters:
            return ()
        self._update()
        result = _common(tensors, self._storages)
        return result and _common(tensors, self._storages, exact=True)

    def exists(self):
        """Return True if memory of the state may be shared."""
        self._update()
        return bool(self._storages)

    def propagate(self, handles, has_arguments):
        """Rebind the handles that share memory with those that `handles()` returns, which a program
        has written to; `has_arguments`: True if arguments of the call are among them."""
        if self.matters and (has_arguments or self.exists()):
            propagate(handles())


def _common(tensors, storages, exact=False):
    first, result = {}, []
    for i, tensor in enumerate(tensors):
        alias = getattr(tensor, "_alias", None)
        if alias is None:
            continue
        path = alias.path if exact else None
        key = id(alias.storage)
        if key in storages:
            result.append((i, key, path))
        elif key in first:
            result.append((i, first[key], path))
        else:
            first[key] = i, path
    return tuple(result)


def propagate(handles):
    """Rebind the handles that share memory with `handles`, which a program has written to."""
    ids = {id(h) for h in handles}
    for handle in handles:
        alias = getattr(handle, "_alias", None)
        if alias is not None and alias.storage.is_shared():
            alias.resolve()
            others = [h for h in alias.storage.alive() if id(h) not in ids and is_visible(h)]
            for other, new in alias.seen_by(others, handle, wrap(handle._value)):
                other._bind(new._value)


# paths -----------------------------------------------------------------------------------


def _split(path, aval):
    """Return (preceding segments, last `Part`); if the path does not end with a `Part`, one of all
    elements."""
    if path and path[-1].__class__ is Part:
        return path[:-1], path[-1]
    return path, Part(aval.shape, Strided.contiguous(aval.shape))


def _meet(path, other):
    """Return True if two paths may lead to common elements."""
    if not path or not other or Dynamic in (path[0].__class__, other[0].__class__):
        return True
    (low, high), (least, most) = path[0].layout.bounds(), other[0].layout.bounds()
    return low <= most and least <= high


def _avals(operands):
    from_python = {int: Aval.intern((), np.dtype(np.int64), True)}
    return [o._value.aval if isinstance(o, Tensor) else from_python[type(o)] for o in operands]


def _layout(op, layout, operands, output, aval):
    key = (op, layout, operands)
    result = _layouts.get(key)
    if result is None:
        if op.layout is not None:
            result = (op.layout(layout, **op.attributes),)
        else:
            result = through(op.rule((aval, *_avals(operands))).jaxpr, layout, operands)
        _layouts[key] = result
    return result[output]


_layouts: dict = {}
forest.tables.append(_layouts)


@functools.cache
def _zeros(aval):
    return Op("zeros", lambda: jnp.zeros(aval.shape, aval.dtype))


REINTERPRETED = "another dtype"  # `Op.layout` of an operation that reads bytes as another dtype
