"""A snapshot of mutable Python state: detects changes, and restores it."""

import operator
import types
from itertools import chain

import numpy as np

from sporax._src.capture.guards.guard_types import (
    MISSING,
    Attribute,
    Buffer,
    CellState,
    Contents,
    Entry,
    GeneratorState,
    Reading,
    Registered,
    Size,
)
from sporax._src.core.tree import children, fields_of


class Snapshot:
    """Guards, each with the state at the time when it was added."""

    def __init__(self):
        self.guards = {}  # key of a guard -> the guard
        self._check = None

    def add(self, guard):
        """Add a guard, unless there is one for the same state."""
        return self.guards.setdefault(guard.key, guard)

    def changed(self):
        """Return the guard of the first value that has changed, or None."""
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
        """Return the guards of all values that have changed."""
        return [guard for guard in self.guards.values() if guard.changed()]

    def restore(self):
        """Restore all changed values; return the same as `changed`."""
        changed = self.changed()
        if changed is not None:
            for guard in self.guards.values():
                guard.restore()
        return changed


def argument_snapshot(arguments):
    """Return a `Snapshot` of the lists, dicts, sets, arrays and dataclasses in the arguments."""
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
    """Checks many guards at once, by the identity of each value read and of the items of each
    container. If an identity differs, `Snapshot` checks each guard, since equal plain values also
    pass.
    """

    ALONE = CellState, GeneratorState, Buffer, Reading, Registered
    KINDS = Attribute, Entry, Contents, Size, *ALONE
    OF_FUNCTIONS = "__code__", "__defaults__", "__kwdefaults__"

    def __init__(self, guards):
        kinds = {kind: [] for kind in self.KINDS}
        self._single = []  # guards that are checked one by one
        self._absent = []
        for guard in guards:
            if guard.__class__ in (Attribute, Entry) and guard.value is MISSING:
                if guard.__class__ is Entry:
                    self._absent.append((guard.space, guard.name))
                else:
                    self._single.append(guard)
            else:
                kinds[guard.__class__].append(guard)
        for kind in self.ALONE:
            self._single += kinds[kind]
        self._guards = kinds[Attribute], kinds[Entry], kinds[Contents]
        self._sizes = [(vars(guard.thing), guard.items) for guard in kinds[Size]]
        self._set_values()

    def _set_values(self):
        attributes, entries, contents = self._guards
        self._entries = [(guard.space, guard.name, guard.value) for guard in entries]
        self._functions, self._attributes = _functions(attributes, self.OF_FUNCTIONS)
        self._streams = [stream for guard in contents for stream in guard.streams]
        self._lengths = [len(g.items) // len(g.streams) for g in contents for _ in g.streams]
        self._items = [*chain.from_iterable(guard.items for guard in contents)]

    def hold(self):
        """Return True if all identities are unchanged. Uses loops: `all` of a generator takes twice
        as long."""
        try:
            for space, name, value in self._entries:
                if space[name] is not value:
                    return False
            for function, code, defaults, keyword_defaults in self._functions:
                if (
                    function.__code__ is not code
                    or function.__defaults__ is not defaults
                    or function.__kwdefaults__ is not keyword_defaults
                ):
                    return False
            for thing, attribute, value in self._attributes:
                if _attribute(thing, attribute) is not value:
                    return False
            for space, name in self._absent:
                if name in space:
                    return False
            for space, size in self._sizes:
                if len(space) != size:
                    return False
            return self._same_items() and not (
                self._single and any([guard.changed() for guard in self._single])
            )
        except (LookupError, AttributeError, ValueError, RuntimeError):
            return False  # something is missing, or another thread changes a container

    def _same_items(self):
        """Return True if the containers have the same items."""
        return not self._streams or (
            [*map(len, self._streams)] == self._lengths
            and all(map(operator.is_, chain.from_iterable(self._streams), self._items))
        )

    def refresh(self):
        """Store the current (equal) plain values, so that the next check is fast."""
        attributes, entries, contents = self._guards
        for guard in (*attributes, *entries):
            guard.value = guard.now()
        for guard in contents:
            guard.items = tuple(chain.from_iterable(guard.streams))
        self._set_values()


def _functions(guards, attributes):
    """Return the guarded attributes of objects: [(function, *parts)] of functions with guards for
    all `attributes`, which are checked together, and [(object, attribute, value)] of the others."""
    by_object = {}
    for guard in guards:
        by_object.setdefault(id(guard.space), {})[guard.attribute] = guard
    functions, others = [], []
    for named in by_object.values():
        thing = next(iter(named.values())).space
        if type(thing) is types.FunctionType and named.keys() >= set(attributes):
            functions.append((thing, *[named.pop(attribute).value for attribute in attributes]))
        others += [(thing, name, guard.value) for name, guard in named.items()]
    return functions, others


_attribute = object.__getattribute__
