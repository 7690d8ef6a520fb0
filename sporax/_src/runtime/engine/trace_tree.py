"""The tree of all traces, and the points at which a trace is cut.

A trace is a path in a tree (`TraceNode`): each recorded operation is one step along an edge keyed
by the operation and the places of its operands. A path walked before costs one dictionary look-up
an operation; the programs compiled for a path are stored at its end.
"""

import sys
from typing import Any
from weakref import WeakSet

import jax

from sporax._src.core.value import Aval, Changes, thread
from sporax._src.runtime.engine.origin import Origin

# A loop that reads no concrete value is cut where it repeats, so that its programs repeat too:
# (depth, window), from that depth on if the last `window` operations are periodic
CUTS = ((256, 192), (2048, 2048))
# the depth without repetition: XLA takes 0.5 to 4 ms an operation, and more in longer traces
CAP = 4096
TAPE_CAP = 16_384  # forward and backward pass should be in one program


class TraceNode:
    """A trace up to and including one recorded operation."""

    __slots__ = (
        "aval", "avals", "checks", "collective", "depth", "differentiable", "evidence",
        "frees_gradients", "gradients_held", "input_counts", "key", "next", "op", "operands",
        "origin", "parent", "precision", "prepared", "programs", "size",
    )  # fmt: skip

    op: Any
    parent: Any
    input_counts: Any
    # of a trace at whose end a training step ended, see `step_end`
    frees_gradients: Any
    gradients_held: Any

    def __init__(self, parent, key, op, operands, rule):
        self.parent, self.key, self.op = parent, key, op
        self.operands = operands  # the operands' avals
        self.next, self.programs = {}, {}
        self.prepared = 0  # the number of programs that it ever had
        self.evidence: Any = None  # runs of the interpreter, see `verification.switch`
        self.frees_gradients = self.gradients_held = None
        self.origin: Any = None  # where it was recorded first, an `Origin`
        self.depth = parent.depth + 1 if parent is not None else 0
        self.avals = rule.avals if rule is not None else ()
        # of the single output; None if there are several
        self.aval = rule.avals[0] if rule is not None and rule.single else None
        # whether it is differentiable; for several outputs, a flag for each
        self.differentiable: Any = op is not None and differentiated(op, operands, self.avals)
        if self.differentiable and self.aval is not None:
            self.differentiable = self.differentiable[0]
        before = parent.size if parent is not None else 0
        self.size = before + len(self.avals)  # outputs of the whole trace so far
        # the autocast policy from here on; None: operations compute in their operands' dtypes
        self.precision = parent.precision if parent is not None else None
        self.input_counts = (0, 0, 0) if parent is None else None
        # the ranks that run it together, if an operation so far has collectives
        self.collective = parent.collective if parent is not None else None
        self.checks: Any = None  # {operation: (its check of indices, where it was recorded last)}

    def path(self):
        """Return the states from the first operation to this one."""
        states, state = [], self
        while state.parent is not None:
            states.append(state)
            state = state.parent
        return states[::-1]

    def inputs(self):
        """Return the counts of arrays, floats and integers that are inputs so far."""
        new = []
        state = self
        while state.input_counts is None:
            new.append(state)
            state = state.parent
        for one in reversed(new):
            kinds = [_kind(i) for i in one.key[1:] if i.__class__ is Aval]
            before = one.parent.input_counts
            one.input_counts = tuple(
                [n + kinds.count(kind) for n, kind in zip(before, _KINDS, strict=True)]
            )
        return self.input_counts

    def n_captured(self):
        """Return the count of arrays that are inputs so far, in a captured function."""
        used = [~i for s in self.path() for i in s.key[1:] if i.__class__ is int and i < 0]
        return max(used, default=-1) + 1

    def tail(self, n):
        """Yield at most the last `n` states, latest first."""
        state = self
        while state.parent is not None and n:
            yield state
            state, n = state.parent, n - 1


def differentiated(op, operands, outs) -> Any:
    """Flag the differentiable outputs, floats and integers made of integers; False for none."""
    if op.stops_gradient:
        return False
    exact = not any(a.inexact for a in operands)
    flags = tuple([a.inexact or (exact and a.differentiable) for a in outs])
    return flags if True in flags else False


def _kind(aval):
    """Return a trace's pool for an input of this aval: Python numbers are passed together."""
    return _POOLS.get(aval.dtype.kind, "array") if aval.weak else "array"


_KINDS = ("array", "real", "integer")
_POOLS = {"f": "real", "i": "integer", "b": "integer"}


class TraceEnds(Exception):
    """Raised if the trace ends before this operation."""


class NeedsCast(Exception):
    """Raised if operands must be converted for the precision in effect; see `Precision`."""


class OnMeta(Exception):
    """Raised for an operation on the device 'meta', which is not recorded; see `engine.meta`."""


class Forest:
    """The root of all traces, and the memory that they take.

    `weight` measures it in states: a rule counts as `RULE` of them (30 kB), a program as `PROGRAM`
    (1.5 MB or more). Beyond `LIMIT` all is cleared and rebuilt, so that a script whose shapes never
    repeat can run forever. The programs of a captured function are freed with it.
    """

    LIMIT, RULE, PROGRAM = 500_000, 40, 1000

    def __init__(self):
        self.tables = []  # other tables to clear, too
        self.rules = []  # the non-empty rule tables of operations
        self.owners = WeakSet()  # objects that own traces: each must `forget()` them
        # the devices of a Mesh (None: one device) and the memory limit in bytes (None: no limit)
        self.place = None, None
        self.trees = {}  # place -> the roots of its traces, except for the one in use
        self.tables.append(self.trees)
        self.clear()

    def clear(self):
        """Clear all traces, programs, and the rules of operations."""
        self.root = TraceNode(None, None, None, (), None)
        self.roots = {None: self.root}
        self.weight = 0
        self.collectives = {}  # (root, key) -> the trace of a collective, a single operation
        for table in (*self.tables, *self.rules):
            table.clear()
        self.rules = []
        for owner in list(self.owners):
            owner.forget()

    def release(self):
        """Clear everything, and JAX's caches, which would keep some of it."""
        self.clear()
        jax.clear_caches()

    def start(self, precision):
        """Return the root of traces whose operations compute in a precision."""
        if precision not in self.roots:
            root = self.roots[precision] = TraceNode(None, None, None, (), None)
            root.precision = precision
        return self.roots[precision]

    def use(self, devices, memory_limit):
        """Switch to the traces of a place: its programs differ from those of others."""
        place = devices, memory_limit
        if place != self.place:
            self.trees[self.place] = self.root, self.roots
            if place in self.trees:
                self.root, self.roots = self.trees.pop(place)
            else:
                self.root = TraceNode(None, None, None, (), None)
                self.roots = {None: self.root}
            self.place = place
            thread.recorder = thread.new_recorder()
        Changes.count += 1  # graphs belong to the place of their capture

    @property
    def memory_limit(self):
        """The memory limit in bytes, or None."""
        return self.place[1]

    def learned(self, rules):
        """Count a rule that an operation has put into its table."""
        self.weight += self.RULE
        if len(rules) == 1:
            self.rules.append(rules)

    def keep(self, state, key, program):
        """Keep a program with its trace."""
        state.programs[key] = program
        state.prepared += 1
        self.weight += self.PROGRAM

    def grow(self, recorder, key, values):
        """Extend a trace by a step that no trace has taken; raises `TraceEnds` if the trace ends
        instead."""
        state = recorder.state
        if key[0].collective is not None:
            return self._launch(recorder, key, values)
        may_end = recorder.tracer is None and not recorder.is_whole
        if state.depth >= CUTS[0][0] and may_end and is_cut(state):
            raise TraceEnds
        return self.extend(state, key, tuple([v.aval for v in values]))

    def _launch(self, recorder, key, values):
        """Record a collective: in the graph while a function is captured, else as a separate trace,
        which runs as soon as it is recorded."""
        state = recorder.state
        if recorder.tracer is not None:
            return self.extend(state, key, tuple([v.aval for v in values]))
        if state.parent is not None:
            raise TraceEnds
        new = self.collectives.get((state, key))
        if new is None:
            new = self.extend(state, key, tuple([v.aval for v in values]))
            self.collectives[state, key] = state.next.pop(key)
        recorder.on_record = recorder.run
        return new

    def extend(self, state, key, operands):
        """Extend a trace of any length by a step; `operands`: their avals."""
        op = key[0]
        precision = state.precision
        if precision is not None and precision.refuses(op, operands):
            raise NeedsCast
        rule = op.rule(operands)
        new = TraceNode(state, key, op, operands, rule)
        if Origin.is_noted:
            new.origin = Origin(sys._getframe(1))
        if op.collective is not None:
            new.collective = op.collective.joined(new.collective)
        if op.mark is not None:
            (new.precision,) = op.mark
        self.weight += 1
        state.next[key] = new  # last: an interrupt leaves no partial node
        return new


forest = Forest()


def is_cut(state):
    """Return True if a trace ends here because its last operations are periodic.

    It is cut after a whole number of periods since it began, so that the next trace begins at the
    same place of the loop, and ends there too. Under a tape the repetition belongs to a network (an
    unrolled recurrence), and only the cap applies.
    """
    if thread.tape is not None:
        return state.depth >= TAPE_CAP
    if state.depth >= CAP:
        return True
    for depth, window in CUTS:
        if state.depth >= depth:
            period = period_of([s.op for s in state.tail(window)])
            if period is not None and state.depth % period == 0:
                return True
    return False


def period_of(ops):
    """Return the smallest period of operations, at most half their number, or None."""
    n, few = len(ops), min(8, len(ops) // 2)  # a few of the last first: slicing copies
    for period in range(1, n // 2 + 1):
        if ops[-few:] == ops[-few - period : -period] and ops[period:] == ops[: n - period]:
            return period
    return None
