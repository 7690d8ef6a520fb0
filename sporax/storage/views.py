"""Tensors that share memory: views, and writes through them.

Arrays are immutable, so sharing is functionalised. A handle that an operation such as `reshape` or
`x[1:]` returns keeps an `Alias`: the `Storage` that it shares with the handle it was made of, and
the way there. A write to one handle (`Tensor._rebind`) gives all others of the storage that are
alive the Values which they would see in shared memory: the root by the inverse of the way, views by
the way from the root. Reading costs nothing, and a view that nobody writes through costs one object
and two weak references.

A way (`Alias.path`) is a tuple of segments: `Part`, a part of the memory by offset and strides, and
`Dynamic`, an operation whose place in memory is known only when it runs. It is worked out at the
first write, from the operation's jaxpr.
"""

import functools
from typing import Any
from weakref import ref

import jax.numpy as jnp
import numpy as np

from sporax.core.strides import COPY, Strided
from sporax.core.tensor import Tensor
from sporax.core.value import Aval
from sporax.engine.operation import Op
from sporax.engine.recorder import apply, wrap
from sporax.engine.trace_tree import forest
from sporax.storage.view_access import Dynamic, Part, read, through, write


def view(op, source, *operands, put=None):
    """Apply an operation whose results share the memory of its first operand.

    `put`: the operation `(source, result, *operands) -> source` that is its inverse, for one whose
    place in memory depends on Tensors among its operands.
    """
    out = apply(op, source, *operands)
    if isinstance(source, Tensor):
        if out.__class__ is tuple:
            for i, part in enumerate(out):
                _link(part, source, op, operands, i, put)
        else:
            _link(out, source, op, operands, 0, put)
    return out


def _link(out, source, op, operands, output, put):
    if out._value.aval.dtype is not source._value.aval.dtype and op.layout is not REINTERPRETED:
        return  # converted on the way, for `Cell.to_float`
    parent = getattr(source, "_alias", None) or share(source)
    alias = out._alias = Alias(parent.storage, parent, op, operands, output, put)
    alias.storage.add(out)


def share(handle):
    """Let a handle be the root of a storage; returns its alias."""
    storage = Storage(handle._value.aval, ref(handle))
    alias = handle._alias = Alias(storage, None, None, (), 0, None)
    return alias


class Storage:
    """The memory that several handles share; `root` is the one that has all of it.

    `before`: the storage in which the handles were that a result of theirs had to be copied for.
    """

    __slots__ = ("aval", "before", "handles", "is_state", "limit", "root")

    shared_states = 0  # how often a handle was added to a storage that captured functions write to

    def __init__(self, aval, root, before=None):
        self.aval, self.root, self.before = aval, root, before
        self.handles = [root]
        self.limit = 16
        self.is_state = False

    def add(self, handle):
        """One more handle shares the memory."""
        if len(self.handles) >= self.limit:
            self.handles = [r for r in self.handles if r() is not None]
            self.limit = 2 * len(self.handles) + 16
        self.handles.append(ref(handle))
        if self.is_state:
            Storage.shared_states += 1

    def is_shared(self):
        """Whether there has been more than one handle."""
        return len(self.handles) > 1 or self.before is not None

    def alive(self):
        """The handles that share this memory now."""
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
            alias.storage.add(handle)  # made by a `reshape` that had to copy, or from such a one
            if alias.parent is None:
                alias.storage.root = ref(handle)
        self.handles = [ref(h) for h in mine]
        return mine


class Alias:
    """How a handle lies in a storage: what `op` makes of what `parent` has (None: it is a root)."""

    __slots__ = ("_path", "op", "operands", "output", "parent", "put", "storage")

    _path: Any
    parent: Any

    def __init__(self, storage, parent, op, operands, output, put):
        self.storage, self.parent, self.op, self.output = storage, parent, op, output
        self.operands, self.put = operands, put
        if put is not None:  # a Tensor among the operands may change, its Value cannot
            self.operands = tuple([
                wrap(o._value) if isinstance(o, Tensor) else o for o in operands
            ])  # fmt: skip
        self._path = () if parent is None else None

    @property
    def path(self) -> tuple:
        """The segments from the root to here."""
        self.resolve()
        return self._path

    def resolve(self):
        """Work out the path; a result that had to be copied becomes the root of another storage."""
        if self._path is not None:
            return
        parent = self.parent
        path, self.storage = parent.path, parent.storage
        aval = parent.aval
        if self.put is not None or self.op.layout is REINTERPRETED:
            segment = Dynamic(self.op, self.put, self.operands, self._result(aval))
            self._path = (*path, segment)
            return
        rest, last = _split(path, aval)
        layout = _layout(self.op, last.layout, self.operands, self.output, aval)
        if layout is COPY:
            self.parent, self._path = None, ()
            self.storage = Storage(self._result(aval), _gone, self.storage)
        else:
            self._path = (*rest, Part(last.shape, layout))

    def _result(self, aval):
        return self.op.rule((aval, *_avals(self.operands))).avals[self.output]

    @property
    def aval(self):
        """Shape and dtype of what lies there."""
        if not self.path:
            return self.storage.aval
        last = self.path[-1]
        if last.__class__ is Dynamic:
            return last.aval
        dtypes = [s.aval.dtype for s in self.path if s.__class__ is Dynamic]
        return Aval.of(last.layout.shape, [self.storage.aval.dtype, *dtypes][-1])

    @property
    def layout(self):
        """Offset and strides of the elements; None where they are known only when it runs."""
        path = self.path
        if not path:
            return Strided.contiguous(self.storage.aval.shape)
        return path[0].layout if len(path) == 1 and path[0].__class__ is Part else None

    def repeats(self):
        """Whether some element of the memory is there twice."""
        return not all(s.is_writable() for s in self.path if s.__class__ is Part)

    def leave(self, handle):
        """The handle gets memory of its own: what is done to it is no longer seen by others."""
        del handle._alias
        if self.storage.is_state:
            Storage.shared_states += 1
        self.storage.handles = [r for r in self.storage.handles if r() is not handle]
        if self.storage.root() is handle:
            self.storage.root = _gone

    def write(self, handle, value):
        """Give the handle `value`, and those that share its memory what they see of it."""
        if value.aval is not handle._value.aval:
            self.leave(handle)
        if self.parent is None and not self.storage.is_shared():
            handle._bind(value)
            return
        self.resolve()
        others = [h for h in self.storage.alive() if h is not handle]
        for segment in self.path:
            segment.check(self.op.name)
        seen = self.seen_by(others, handle, wrap(value)) if others else ()
        handle._bind(value)
        for other, new in seen:
            other._bind(new._value)

    def seen_by(self, others, handle, new):
        """(handle, its contents) of the others after a write of `new` to `handle`."""
        root = self.storage.root()
        if root is None:
            return [
                (other, read(write(filled, self.path, new), path))
                for other in others
                if _meet(self.path, path := other._alias.path)
                for filled in [write(_blank(self.storage.aval), path, other)]
            ]
        whole = new if root is handle else write(root, self.path, new)
        return [
            (other, whole if other is root else read(whole, other._alias.path))
            for other in others
            if _meet(self.path, other._alias.path)
        ]


def _gone():
    """In place of a weak reference to a root: nobody holds it."""


class Sharing:
    """Which tensors a captured function that writes to some of them finds in shared memory.

    `reads` and `writes`: what it reads and writes besides its arguments, handles among it;
    `written`: all that it writes to.
    """

    def __init__(self, reads, writes, written):
        self._state = [h for h in (*reads, *writes) if isinstance(h, Tensor)]
        self._seen, self._storages = None, set()
        self.matters = bool(written)  # else it is right whatever shares memory

    def _update(self):
        if self._seen == Storage.shared_states:
            return
        aliases = [getattr(h, "_alias", None) or share(h) for h in self._state]
        for alias in aliases:
            alias.storage.is_state = True
        self._storages = {id(a.storage) for a in aliases if a.storage.is_shared()}
        self._seen = Storage.shared_states

    def between(self, tensors):
        """(number of an argument, what it shares memory with, how) of those arguments which do: a
        graph captured for other ones does not serve them."""
        if not self.matters:
            return ()
        self._update()
        result = _common(tensors, self._storages)
        return result and _common(tensors, self._storages, exact=True)

    def propagate(self, handles, has_arguments):
        """Let those that share memory with `handles`, which a program has written to, see it;
        `has_arguments`: whether arguments of the call are among them."""
        if not handles:
            return
        self._update()
        if self._storages or has_arguments:
            propagate(handles)


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
    """Let those that share the memory of these handles, which a program has written to, see it."""
    ids = {id(h) for h in handles}
    for handle in handles:
        alias = getattr(handle, "_alias", None)
        if alias is not None and alias.storage.is_shared():
            alias.resolve()
            others = [h for h in alias.storage.alive() if id(h) not in ids]
            for other, new in alias.seen_by(others, handle, wrap(handle._value)):
                other._bind(new._value)


# paths -----------------------------------------------------------------------------------


def _split(path, aval):
    """(the segments before, the last `Part`): a whole one where the path does not end with one."""
    if path and path[-1].__class__ is Part:
        return path[:-1], path[-1]
    return path, Part(aval.shape, Strided.contiguous(aval.shape))


def _meet(path, other):
    """Whether two ways may lead to the same elements."""
    if not path or not other or Dynamic in (path[0].__class__, other[0].__class__):
        return True
    (low, high), (least, most) = path[0].layout.bounds(), other[0].layout.bounds()
    return low <= most and least <= high


def _avals(operands):
    from_python = {int: Aval.of((), np.dtype(np.int64), True)}
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


def _blank(aval):
    return apply(_zeros(aval))


REINTERPRETED = "another dtype"  # in place of the rule of an operation's layout
