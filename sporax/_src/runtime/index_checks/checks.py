"""Bounds checks of indices and numbers: computed in the program, raised at the next read.

An indexing operation declares its `bounds`: a function of its operands and attributes that returns
the `Range` of each index array, or the `Interval` of an array of numbers. Recording such an
operation also records its `Check`: an operation on the indices alone, whose output, the *status*,
is 0 for indices in range. A trace has one extra output, the statuses of all its checks, which every
read inspects. An abstract trace passes its statuses to the enclosing recorder, like prints: zeros
for a branch that is not taken, the first nonzero status over the iterations of a loop, the worst
over the examples of a batch.

Indices that are concrete on the host are checked there, at the line of the call.
"""

import contextlib
import copy
import functools
import itertools
import sys
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src import PACKAGE
from sporax._src.core import context
from sporax._src.core.environment import choice
from sporax._src.core.errors import is_users, located
from sporax._src.core.from_host import host_array
from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import used_inputs
from sporax._src.core.tensor import Tensor, as_value, falls_back, stacked_operands
from sporax._src.core.to_host import on_host
from sporax._src.core.value import WEAK_AVALS, Aval, thread
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply, pending_value, record, wrap
from sporax._src.runtime.engine.trace_tree import forest
from sporax._src.runtime.index_checks.deferred import defer
from sporax._src.runtime.index_checks.ranges import statuses


class Bounds:
    """The check of an operation for operands with these avals: `op`, on the operands `taken`.

    `ranges`: one per status, without its indices.
    """

    def __init__(self, op, avals):
        specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        self.who = op.name
        range_set = self._plain_ranges(op, specs) or self._traced_ranges(op, specs)
        self.op = Statuses(f"{op.name}.bounds", (range_set,))

    def _plain_ranges(self, op, specs):
        """Return the `RangeSet` if all indices are unmodified operands: it needs no trace, and is
        shared by all shapes with equal ranges. Else return None."""
        try:
            ranges = op.bounds(*specs)
        except (AttributeError, TypeError):  # `bounds` computes with an operand
            return None
        sources = [next((i for i, s in enumerate(specs) if s is r.indices), None) for r in ranges]
        if None in sources:
            return None
        self.ranges = [r._replace(indices=None) for r in ranges]
        self.taken = sorted({*sources})  # type: ignore[reportArgumentType]  # no None, see above
        has_names = len(op.operands) == len(specs)
        self.what = [f"'{op.operands[i]}'" if has_names else "" for i in sources]
        return _plain(tuple(self.ranges), tuple(map(self.taken.index, sources)), len(self.taken))

    def _traced_ranges(self, op, specs):
        traced = jax.make_jaxpr(functools.partial(self._statuses, op))(*specs).jaxpr
        self.taken = [i for i, is_used in enumerate(used_inputs(traced)) if is_used]
        self.what = [self._name(op, specs, k) for k in range(len(self.ranges))]

        def ranges(*taken):
            arrays: list[Any] = list(specs)
            for i, array in zip(self.taken, taken, strict=True):
                arrays[i] = array
            return op.bounds(*arrays)

        return RangeSet(ranges, len(self.taken), len(self.ranges))

    def _name(self, op, specs, k):
        """Return the name of the operand that holds a range's indices; empty if it is unknown."""
        if len(op.operands) != len(specs):
            return ""
        traced = jax.make_jaxpr(lambda *xs: statuses([op.bounds(*xs)[k]]))(*specs).jaxpr
        names = zip(op.operands, used_inputs(traced), strict=True)
        return next((f"'{name}'" for name, is_used in names if is_used), "")

    def _statuses(self, op, *arrays):
        ranges = op.bounds(*arrays)
        self.ranges = [r._replace(indices=None) for r in ranges]
        return statuses(ranges)


class RangeSet(NamedTuple):
    """The source of `count` statuses: `ranges(*operands)`, or None for computed statuses."""

    ranges: Any
    operands: int
    count: int


@functools.lru_cache(4096)
def _plain(ranges, sources, n_operands):
    """Return the `RangeSet` of ranges that each have one of the operands as indices."""

    def with_indices(*operands):
        return [r._replace(indices=operands[i]) for r, i in zip(ranges, sources, strict=True)]

    return RangeSet(with_indices, n_operands, len(ranges))


class Statuses(Op):
    """The statuses of several `RangeSet`s in one array, in one pass per number of indices."""

    __slots__ = ("range_sets",)

    range_sets: tuple

    def __init__(self, name, range_sets):
        super().__init__(name, self._run)
        self.range_sets, self.stops_gradient = range_sets, True
        self.real = lambda *arrays: jnp.zeros(sum([s.count for s in range_sets]), jnp.int64)

    def _run(self, *arrays):
        remaining, ranges = iter(arrays), []
        for range_set in self.range_sets:
            taken = [next(remaining) for _ in range(range_set.operands)]
            ranges += taken if range_set.ranges is None else range_set.ranges(*taken)
        return statuses(ranges)


_joins = {}  # range sets -> their joint `Statuses`
forest.tables.append(_joins)


class Site:
    """The user line at which an operation with bounds was recorded."""

    __slots__ = ("bounds", "cell", "code", "depth", "file", "last", "line")

    code: Any

    def __init__(self, bounds):
        self.bounds, self.file, self.line, self.code, self.last = bounds, "?", 0, None, 0
        self.depth, frame = _users_frame(sys._getframe(2))
        if frame is not None:
            self.code, self.last = frame.f_code, frame.f_lasti
            self.file, self.line = frame.f_code.co_filename, frame.f_lineno
        self.cell = hooks.cell_path(hooks.calling_cells(sys._getframe(1)))

    def is_here(self):
        """Return True if the same user instruction is recording now; called by `_check`."""
        try:
            frame = sys._getframe(2 + self.depth)
        except ValueError:  # the stack is shallower
            return False
        return frame.f_lasti == self.last and frame.f_code is self.code

    def error(self, statuses):
        """Return the error for the statuses of this site; None if all are 0."""
        bounds = self.bounds
        for status, within, what in zip(statuses, bounds.ranges, bounds.what, strict=True):
            if status:
                return within.error(bounds.who, what, int(status), self)
        return None

    def __str__(self):
        return located(self.file, self.line, self.cell)


class Check:
    """The statuses of one or more sites, as a Value, with the interface of
    `staging.deferred_print.DeferredPrint`."""

    is_check = True
    weak = (False,)

    def __init__(self, value, sites):
        self.values, self.sites = [value], sites

    def run(self, values):
        """Check these statuses at the next read, or now in the immediate executor."""
        if switch.is_on:
            _note(values[0], self.sites)

    def with_values(self, values):
        """Return a copy of this check with other Values."""
        copied = copy.copy(self)
        copied.values = list(values)
        return copied

    def where(self, test, is_true, values):
        """As `with_values`: the statuses of a branch that is not taken are already 0."""
        return self.with_values(values)


def _note(value, sites):
    recorder = thread.recorder
    if recorder.immediate and recorder.tracer is None:
        error = _error(on_host(value.read()), sites)
        if error is not None:
            raise error
    elif value.trace is recorder:
        _add(recorder, _computed(value.index, value.aval), sites)
    else:
        defer(value, functools.partial(_error, sites=sites))


def _add(recorder, pending, sites):
    if recorder.checks is None:
        recorder.checks = Checks()
    recorder.checks.append((pending, sites))


def _error(statuses, sites):
    """Return the error for an array of statuses; None if all are 0."""
    if any(statuses.tolist()):
        remaining = iter(statuses)
        for site in sites:
            error = site.error([next(remaining) for _ in site.bounds.ranges])
            if error is not None:
                return error
    return None


class Pending:
    """Statuses that a trace has not computed yet: the slots of the operands of `of` in the trace,
    and their avals. There is one object per place in a trace: keys compare it by identity."""

    __slots__ = ("avals", "operands", "range_sets")

    def __init__(self, range_sets, operands, avals):
        self.range_sets, self.operands, self.avals = range_sets, operands, avals


@functools.lru_cache(4096)
def _computed(index, aval):
    return Pending((RangeSet(None, 1, aval.size),), (index,), (aval,))


class Checks(list):
    """The checks of a recorder that runs its trace: (Pending, sites)."""

    def settle(self, recorder):
        """Record the statuses of all checks as one output, before the trace runs."""
        value, sites = _joined(self, recorder)
        self.clear()
        defer(value, functools.partial(_error, sites=sites))


def joined(checks, recorder):
    """Return (statuses of several checks in one Value, their sites); `checks`: (Value of the trace,
    sites)."""
    states = {s.size - 1: s for s in recorder.state.path() if s.op.__class__ is Statuses}
    pending = []
    for value, sites in checks:
        state = states.get(value.index)
        if state is None:
            pending.append((_computed(value.index, value.aval), sites))
        else:
            pending.append((Pending(state.op.range_sets, state.key[1:], state.operands), sites))
    return _joined(pending, recorder)


def _joined(checks, recorder):
    before, key = recorder.state, (Statuses, *[pending for pending, _ in checks])
    state = before.next.get(key)
    if state is None:
        range_sets, slots, avals = [
            _chained([getattr(pending, name) for pending, _ in checks])
            for name in ("range_sets", "operands", "avals")
        ]
        op = _joins.get(range_sets)
        if op is None:
            op = _joins[range_sets] = Statuses("bounds", range_sets)
        state = before.next[key] = forest.extend(before, (op, *slots), avals)
    recorder.state = state
    value = pending_value(recorder, state.aval, before.size)
    return value, _chained([sites for _, sites in checks])


def _chained(items):
    return tuple(itertools.chain.from_iterable(items))


# recording --------------------------------------------------------------------------------------


class Switch:
    """The switch `is_on`: True if operations with bounds are checked."""

    is_on = True


switch = Switch()
context.when_set("check_indices", functools.partial(setattr, switch, "is_on"))
if choice("SPORAX_CHECK_INDICES", "1", "0") == "0":
    context.set_context(check_indices=False)


def apply_within(op, *operands):
    """As `apply`, for an operation with bounds; also check its indices."""
    out = apply(op, *operands)
    if switch.is_on:
        _check(op, operands)
    return out


def check(op, *operands):
    """Check an operation with bounds that has been recorded."""
    if switch.is_on:
        _check(op, operands)


def _check(op, operands):
    recorder = thread.recorder
    known = recorder.state.checks
    if known is not None and op in known and not recorder.immediate:
        pending, site = known[op]
        if not site.is_here():
            site = Site(site.bounds)
            known[op] = pending, site
        _add(recorder, pending, (site,))
        return
    operands = stacked_operands(op, operands)
    avals, bounds = _bounds_of(op, operands)
    if bounds is None or not bounds.taken:
        return
    taken = [operands[i] for i in bounds.taken]
    if not any([hasattr(x, "_value") for x in taken]):
        _check_on_host(op, bounds, operands, avals)
        return
    tracer = recorder.tracer
    if tracer is not None and not tracer.checks_indices:
        return
    values = [
        x._value if hasattr(x, "_value") else as_value(op, x, i)
        for i, x in zip(bounds.taken, taken, strict=True)
    ]
    site = Site(bounds)
    if tracer is None and not recorder.immediate and all([hasattr(x, "_value") for x in taken]):
        slots = tuple([_slot(recorder, value) for value in values])
        pending = Pending(bounds.op.range_sets, slots, tuple([value.aval for value in values]))
        state = recorder.state
        state.checks = {**(state.checks or {}), op: (pending, site)}
        _add(recorder, pending, (site,))
        return
    status = record(bounds.op, *values)
    if tracer is None:
        _note(status, (site,))
        return
    for test, is_true in thread.gates:
        status = record(_gated(is_true), test, status)
    tracer.add_deferred(Check(status, (site,)))


def _bounds_of(op, operands):
    """Return (avals of the operands, the `Bounds` of `op` for them, or None if a size is symbolic
    or nothing is recorded: on the device 'meta', or if `__fallback__` does the operation)."""
    if thread.recorder.is_meta or any([getattr(x, "is_meta", False) for x in operands]):
        return (), None
    try:
        avals = tuple([x._operand.aval for x in operands])
    except AttributeError:
        if any([isinstance(x, Tensor) and falls_back(x) for x in operands]):
            return (), None
        avals = tuple(map(_aval, operands))
    bounds = op.checks.get(avals)
    if bounds is None and not any(map(is_symbolic, avals)):
        bounds = op.checks[avals] = Bounds(op, avals)
        forest.learned(op.checks)
    return avals, bounds


def _slot(recorder, value):
    """Return the slot in the trace of a Value that one of its operations uses: not one that was
    converted from a list for the check, which would become an input out of order."""
    if value.trace is recorder:
        return value.index
    slot = recorder.input_index.get(id(value.array))
    return recorder.operand_key(value) if slot is None else slot


def _aval(operand):
    if hasattr(operand, "_value"):
        return operand._value.aval
    if operand.__class__ in WEAK_AVALS:
        return WEAK_AVALS[operand.__class__]
    array = host_array(operand, None)
    return Aval.intern(array.shape, array.dtype)


def is_symbolic(aval):
    """Return True if a dimension is symbolic."""
    return not all([n.__class__ is int for n in aval.shape])


def _check_on_host(op, bounds, operands, avals):
    """Check indices that are Python scalars, lists or NumPy arrays."""
    arrays: list[Any] = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    for i in bounds.taken:
        arrays[i] = np.asarray(operands[i])
    status = statuses(op.bounds(*arrays))
    error = Site(bounds).error(status) if status.any() else None
    if error is not None:
        raise error


def _users_frame(frame: Any):
    """Return (number of frames up, user frame), searching from `frame` outwards."""
    depth = 0
    while frame is not None:
        if not frame.f_code.co_filename.startswith(PACKAGE) and is_users(frame):
            return depth, frame
        depth, frame = depth + 1, frame.f_back
    return 0, None


# conditions and loops ---------------------------------------------------------------------------


@contextlib.contextmanager
def counting_where(test, is_true):
    """Make checks in the block count only if the truth of the Tensor `test` is `is_true`."""
    before = thread.gates
    thread.gates = (*before, (test._lift(), is_true))
    try:
        yield
    finally:
        thread.gates = before


@functools.cache
def _gated(is_true):
    def gated(test, statuses):
        return jnp.where((jnp.reshape(test, ()) != 0) == is_true, statuses, 0)

    return Op("bounds.where", gated)


@functools.cache
def _none(count):
    return Op("bounds.none", lambda: jnp.zeros(count, jnp.int64))


def add_loop_check(closed, check):
    """Return (`check`, a Tensor of the enclosing recorder), and make the abstract trace `closed` of
    a loop body write the first nonzero status of all iterations to the Tensor."""
    inside, thread.recorder = thread.recorder, closed.outer
    try:
        worst = wrap(record(_none(check.values[0].aval.size)))
    finally:
        closed.outer, thread.recorder = thread.recorder, inside
    worst._rebind(record(_worse, worst._lift(), check.values[0]))
    return check, worst


def worst(statuses):
    """Return the worst status over the examples (axis 0): the lowest if negative, else the
    highest."""
    low, high = statuses.min(0), statuses.max(0)
    return jnp.where(low < 0, low, high)


_worse = Op("bounds.worse", lambda one, other: jnp.where(one != 0, one, other))
