"""A graph's program, called with the arrays: no call of a captured function is recorded.

The same as to record the graph as one operation and to run it, which takes 0.4 us an input more,
and where it fails everything is as before.
"""

import threading
from weakref import ref

from sporax.core.value import HELD, Shared, Value, thread
from sporax.engine.compile_policy import SEEN, prepare
from sporax.engine.recorder import in_use, unclaimed
from sporax.engine.trace_tree import forest


class Running:
    """What stands for a trace in the Values of results until they are there."""

    __slots__ = ("__weakref__", "found", "lock")
    capture = None

    def __init__(self, found):
        self.found = found  # the ids of the arrays that the program is given
        self.lock = threading.RLock()

    def run(self):
        """Wait, where another thread reads what is being computed."""
        with self.lock:
            pass


class Launch:
    """Calls of one graph. `avals`: of its inputs; `outs`: of its outputs, the last of which take
    the places of the inputs `replaced` (None: of none)."""

    def __init__(self, op, avals, outs, replaced):
        self.op, self.avals, self.outs, self.replaced = op, list(avals), outs, replaced
        self.alive = tuple(range(len(outs)))
        self.has_numbers = any(a.weak for a in avals)
        self.root = self.state = None  # the trace of this one operation, on arrays that all differ

    def fits(self, values):
        """Whether the inputs are what the graph was captured for."""
        return [v.aval for v in values] == self.avals

    def __call__(self, values, handles):
        """The output Values for the input `values`, a list which is emptied. `handles`: those that
        hold the `replaced` inputs; they are given the last outputs. Where it fails, they hold what
        they held before."""
        given = None
        if not self.has_numbers:
            arrays = [v.read() if v.array is None else v.array for v in values]
            found = set(map(id, arrays))
            if len(found) == len(arrays):
                given = _Given(self._plain(), arrays, (), (), self.replaced)
        if given is None:
            given = self._mixed(values)
            found = set(map(id, given.arrays))
        running = Running(found)
        with running.lock:
            in_use[id(running)] = ref(running)
            try:
                return self._run(values, given, handles, running)
            finally:
                del in_use[id(running)]

    def _plain(self):
        if self.root is not forest.root:
            self.state = self._state(self.avals)
            self.root = forest.root
        return self.state

    def _mixed(self, values):
        """What is given where there are Python numbers, or the same array twice."""
        items, arrays, reals, integers, at, tied = [], [], [], [], {}, set()
        places = []  # of each input among the arrays
        for value in values:
            kind = value.aval.dtype.kind
            if value.aval.weak and kind in "fbi":
                (reals if kind == "f" else integers).append(value)
                k, item = None, value.aval
            elif (k := at.get(id(value.read()))) is not None:
                item = ~k
                tied.add(k)
            else:
                k, item = len(arrays), value.aval
                at[id(value.array)] = k
                arrays.append(value.array)
            items.append(item)
            places.append(k)
        places = [None if k in tied else k for k in places]
        replaced = [None if k is None else places[k] for k in self.replaced]
        return _Given(self._state(items), arrays, reals, integers, replaced)

    def _state(self, items):
        if forest.weight > forest.LIMIT or thread.recorder.state is not forest.root:
            thread.recorder = thread.new_recorder()  # which forgets what is too much
        key = (self.op, *items)
        values = [Value(aval, None) for aval in self.avals]
        return thread.recorder.state.next.get(key) or forest.grow(thread.recorder, key, values)

    def _run(self, values, given, handles, running):
        outs = [_pending(aval, running) for aval in self.outs]
        before = [
            _Before(handle._value, k) for handle, k in zip(handles, given.replaced, strict=True)
        ]
        for handle, out in zip(handles, outs[len(outs) - len(handles) :], strict=True):
            handle._value = out
        values.clear()
        dead = [b.place for b in before if b.is_gone()]
        made = []
        try:
            program = self._program(
                given.state, tuple(unclaimed(sorted(dead), given.arrays, running))
            )
            program(given.arrays, given.reals, given.integers, made)
        finally:  # an interrupt that came while the program ran is raised after it
            for out, array in zip(outs, made, strict=bool(made)):
                out.array, out.trace = array, None
            if len(made) < len(outs):
                for handle, b in zip(handles, before, strict=True):
                    handle._value = b.value(given.arrays)
        return outs

    def _program(self, state, dead):
        program = state.programs.get((self.alive, dead))
        if program is None or program is SEEN:
            program, state.programs[self.alive, dead] = prepare(state, self.alive, dead, [])
        return program


class _Given:
    """What a program is given, and the trace that it is the program of."""

    __slots__ = ("arrays", "integers", "reals", "replaced", "state")

    def __init__(self, state, arrays, reals, integers, replaced):
        self.state, self.arrays, self.replaced = state, arrays, replaced
        self.reals, self.integers = reals, integers


class _Before:
    """What a handle held before the call: array number `place`. It is let go of, so that its array
    can be given away, unless that is seen elsewhere (`place` is None)."""

    __slots__ = ("aval", "is_shared", "kept", "owner", "place")

    def __init__(self, value, place):
        self.aval, self.place, base = value.aval, place, value.base
        self.kept = value if base is HELD or place is None else None
        self.is_shared = base is not None
        self.owner = ref(base if self.is_shared and base is not HELD else value)

    def is_gone(self):
        return self.kept is None and self.owner() is None

    def value(self, arrays):
        """The same again, after a failure."""
        owner = self.owner() if self.kept is None else self.kept
        if owner is None:
            return Value(self.aval, arrays[self.place])
        if self.kept is None and self.is_shared:
            return Shared(self.aval, arrays[self.place], owner)
        return owner


def _pending(aval, running):
    value = Value(aval, None)
    value.trace = running
    return value
