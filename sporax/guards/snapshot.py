"""A snapshot of mutable Python state: what has changed since, and how to restore it."""

import operator
from itertools import chain

import numpy as np

from sporax.core.tree import children, fields_of
from sporax.guards.guard_types import (
    MISSING,
    Attribute,
    Buffer,
    CellState,
    Contents,
    Entry,
    GeneratorState,
    Size,
)


class Snapshot:
    """The state that its guards hold, as it was when each of them was added."""

    def __init__(self):
        self.guards = {}  # key of a guard -> the guard
        self._check = None

    def add(self, guard):
        """Add a guard, unless there is one for the same state."""
        return self.guards.setdefault(guard.key, guard)

    def changed(self):
        """The guard of the first value that has changed; None if there is none."""
        if self._check is None:
            self._check = GuardCheck(self.guards.values())
        if self._check.hold():
            return None
        changes = self.changes()
        if changes:
            return changes[0]
        self._check.refresh()
        return None

    def changes(self):
        """The guards of all values that have changed."""
        return [guard for guard in self.guards.values() if guard.changed()]

    def restore(self):
        """Restore what has changed; returns as `changed`."""
        changed = self.changed()
        if changed is not None:
            for guard in self.guards.values():
                guard.restore()
        return changed


def argument_snapshot(arguments):
    """A `Snapshot` of the lists, dicts, sets, arrays and dataclasses in nested arguments."""
    snapshot = Snapshot()
    _add_containers(arguments, snapshot)
    return snapshot


def _add_containers(thing, snapshot):
    for name in fields_of(thing):
        snapshot.add(Attribute(thing, name))
    if isinstance(thing, np.ndarray):
        snapshot.add(Contents(thing) if thing.dtype.hasobject else Buffer(thing))
    elif isinstance(thing, (list, dict, set)):
        snapshot.add(Contents(thing))
    for item in children(thing):
        _add_containers(item, snapshot)


class GuardCheck:
    """The check of many guards at once.

    A few loops of C compare the identity of everything that was read and of the items of every
    container. Only where an identity differs does a `Snapshot` ask each guard, since equal plain
    values pass too.
    """

    KINDS = Attribute, Entry, Contents, Size, CellState, GeneratorState, Buffer
    SHORT = 16  # so many globals and other entries alone are quicker looked at one by one

    def __init__(self, guards):
        kinds = {kind: [] for kind in self.KINDS}
        self.single = []  # guards that are checked one by one
        absent = []
        for guard in guards:
            if guard.__class__ in (Attribute, Entry) and guard.value is MISSING:
                (absent if guard.__class__ is Entry else self.single).append(guard)
            else:
                kinds[guard.__class__].append(guard)
        self.single += kinds[CellState] + kinds[GeneratorState] + kinds[Buffer]
        self.attributes, self.entries = kinds[Attribute], kinds[Entry]
        self.contents = kinds[Contents]
        self._things = [[g.space for g in self.attributes], [g.attribute for g in self.attributes]]
        self._spaces = [[g.space for g in self.entries], [g.name for g in self.entries]]
        self._absent = absent and [[g.space for g in absent], [g.name for g in absent]]
        self._streams = [stream for g in self.contents for stream in g.streams]
        self._sizes = kinds[Size]
        self._sized = [*self._streams, *[vars(g.thing) for g in self._sizes]]
        self._set_values()

    def _set_values(self):
        self._lengths = [
            len(g.items) // len(g.streams) for g in self.contents for _ in g.streams
        ] + [g.items for g in self._sizes]
        self._values = [
            *[g.value for g in self.attributes],
            *[g.value for g in self.entries],
            *chain.from_iterable(g.items for g in self.contents),
        ]
        others = self.attributes, self.contents, self._sizes, self.single, self._absent
        is_short = not any(others) and len(self.entries) <= self.SHORT
        self._short = [*zip(*self._spaces, self._values, strict=True)] if is_short else None

    def hold(self):
        """Whether nothing has changed, as far as identity tells."""
        try:
            if self._short is not None:
                for space, name, value in self._short:  # noqa: SIM110 - `all` of a generator takes twice as long
                    if space[name] is not value:
                        return False
                return True
            now = chain(
                map(object.__getattribute__, *self._things),
                map(operator.getitem, *self._spaces),
                chain.from_iterable(self._streams),
            )
            return (
                [*map(len, self._sized)] == self._lengths
                and all(map(operator.is_, now, self._values))
                and not (self._absent and any(map(operator.contains, *self._absent)))
                and not (self.single and any([guard.changed() for guard in self.single]))
            )
        except (LookupError, AttributeError, ValueError, RuntimeError):
            return False  # something is missing, or another thread changes a container

    def refresh(self):
        """Take equal plain values for what was read, so that the next check is a quick one."""
        for guard in (*self.attributes, *self.entries):
            guard.value = guard.now()
        for guard in self.contents:
            guard.items = tuple(chain.from_iterable(guard.streams))
        self._set_values()
