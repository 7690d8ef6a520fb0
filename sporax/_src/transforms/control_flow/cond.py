"""Branches whose condition is a traced Tensor.

Both branches, or a loop's test and body (`control_flow.while_scan`), are recorded as abstract
traces (`lifting.abstract_trace`) and become one operation (`control_flow.lax_ops`). Values that the
regions use from outside are its operands; handles that they write (Parameters, random state) are
rebound to its results. If this is not possible, `Unrecordable` gives the reason, and the caller
falls back to Python, which needs the concrete value of the condition.
"""

import functools
from contextlib import closing

import jax.numpy as jnp

from sporax._src.capture.guards.dependence import Dependence
from sporax._src.capture.guards.guard_types import same
from sporax._src.capture.staging.deferred_print import defer_print
from sporax._src.core.errors import describe
from sporax._src.core.from_host import plain
from sporax._src.core.signal_handlers import is_of_handler
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import flatten, map_tensors, unflatten
from sporax._src.core.value import scalar_value, thread
from sporax._src.diagnosis.rules import message
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import record, wrap
from sporax._src.transforms.autodiff.tape import Tape, active_tape
from sporax._src.transforms.control_flow.lax_ops import FlowOp, cond_op, is_python_scalar
from sporax._src.transforms.lifting.abstract_trace import AbstractTrace
from sporax._src.transforms.lifting.lifted_op import cached_op

PYTHON_SCALARS = (bool, int, float)
_as_weak_int = FlowOp("flow.int", lambda x, real=False: (x.reshape(()).astype(jnp.int64),), (0,))


@functools.cache
def _as(dtype):
    return FlowOp("flow.cast", lambda x, real=False: (x.astype(dtype),), ())


class Unrecordable(Exception):
    """Raised if a branch or a loop cannot be recorded as one operation; the message says why."""


class Nothing:
    """A placeholder for a missing value."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


UNBOUND = Nothing("a variable without a value")
PENDING = Nothing("what a 'return' in a loop will give")


def unrecordable(rule, **fields):
    """Return `Unrecordable` with the phrase of a rule."""
    return Unrecordable(message(rule, **fields))


def refuse(rule, **fields):
    """Raise `Unrecordable` for the region being recorded; it takes effect even if user code catches
    the exception."""
    tracer = thread.recorder.tracer
    tracer.error = unrecordable(rule, **fields)
    raise tracer.error


def is_traced(test):
    """Return True if a condition is a one-element Tensor without a concrete value in this trace."""
    tracer = thread.recorder.tracer
    if tracer is None or not isinstance(test, Tensor) or test.size != 1 or test.has_init:
        return False
    return not tracer.is_constant(thread.recorder, test._value)


def is_in_region():
    """Return True if a branch, or a region of a loop, is being recorded."""
    tracer = thread.recorder.tracer
    while tracer is not None and not tracer.has_concrete_inputs:
        if tracer.is_part:
            return True
        tracer = tracer.outer.tracer
    return False


def as_weak_int(tensor):
    """Return the Tensor as an Int64 scalar with a weak aval, which promotes like a Python int."""
    return wrap(record(_as_weak_int, tensor._lift())[0])


@functools.cache
def _zeros(aval):
    return Op("flow.zeros", lambda: jnp.zeros(aval.shape, aval.dtype))


def zeros(value):
    """Return zeros with a Value's shape and dtype."""
    return record(_zeros(value.aval))


def value_of(who, leaf):
    """Return the Value of a Tensor or a Python scalar; a Value unchanged."""
    if isinstance(leaf, Tensor):  # weak Values have no handle outside
        return leaf._value if leaf._value.aval.weak else leaf._lift()
    return scalar_value(who, leaf) if isinstance(leaf, PYTHON_SCALARS) else leaf


class Region:
    """A branch, a loop test or a loop body, recorded as an abstract trace."""

    def __init__(self, who, kind=AbstractTrace):
        self.who, self.closed = who, kind(who)
        self.closed.is_part = True
        # for a loop: index of a carried leaf -> its input Value, its Tensor
        self.loop_values, self.tensors = {}, {}
        self.tape = None if active_tape() is None else Tape()

    def record(self, function, *args):
        """Record `function(*args)`: the structure and leaves of its result, and its writes."""
        before = Dependence(function, args)
        try:
            self._inside(lambda: self._record(function, args))
        finally:
            changed = before.restore()
        if changed is not None:
            raise unrecordable("it-changes-no-tensor", thing=changed.description())
        tape = self.tape
        if tape is not None and (tape.python_entries or tape.hooks or tape.paused_spans):
            raise unrecordable("derivative-in-python")

    def _record(self, function, args):
        result = function(*args)
        if self.closed.error is not None:  # the function caught it
            raise self.closed.error
        self.set_result(result)
        self.written = {id(handle): (handle, value) for handle, value in self.closed.written()}
        self.handles = dict(self.closed.handles)

    def set_result(self, result):
        """Set the result of the region."""
        self.leaves = leaves_of(result)
        self.form, self.result = form_of(result), result

    def blank(self, leaf, other):
        """Return zeros, recorded in this region, for a leaf of another region."""
        kind = other.kind(leaf)
        if kind is None and isinstance(leaf, Tensor):
            return self._inside(lambda: wrap(zeros(leaf._value)))
        return leaf if kind is None else kind(0)

    def _inside(self, function):
        outer, thread.tape = thread.tape, self.tape
        try:
            with closing(self.closed), self.closed:
                return function()
        except Unrecordable:
            raise
        except Exception as cause:
            if is_of_handler(cause):
                raise
            rule = "cause-of-part" if cause is self.closed.error else "in-it-is-raised"
            raise unrecordable(rule, cause=cause, error=cause) from cause
        finally:
            thread.tape = outer

    def printed_values(self, other):
        """Return the Values that the region `other` prints; zeros if it is not this region."""
        values = [value for shown in other.closed.prints for value in shown.values]
        return values if other is self else self._inside(lambda: list(map(zeros, values)))

    def kind(self, leaf):
        """Return the Python type of a leaf that is a scalar in dynamic code; else None."""
        if isinstance(leaf, Tensor):
            if not is_python_scalar(self.closed, leaf._value):
                return None
            return SCALAR_TYPES.get(leaf._value.aval.dtype.kind)
        return leaf.__class__ if leaf.__class__ in PYTHON_SCALARS else None

    def values(self, leaves, dtypes=None):
        """Return the Values in this trace of leaves (Tensors, scalars, Values), cast to
        `dtypes`."""
        dtypes = dtypes or [None] * len(leaves)
        return self._inside(lambda: list(map(self._value, leaves, dtypes)))

    def _value(self, leaf, dtype):
        value = value_of(self.who, leaf)
        if dtype is None and value.aval.weak:
            dtype = value.aval.dtype
        if dtype is not None:
            (value,) = record(_as(dtype), value)
        return self.closed.inside(value)

    def operation(self, values):
        """Return (lifted op that computes these Values, its operands outside)."""
        op = self.closed.operation(values, [None] * len(values))
        return op, self.closed.operands_of(op)


SCALAR_TYPES = {"b": bool, "i": int, "f": float}


def leaves_of(obj) -> list:
    """Return the leaves of nested containers, in order."""
    return list(map(plain, flatten(obj, every=True)[0]))


def form_of(obj):
    """Return a text of the container structure, equal for objects of the same structure."""
    return repr(flatten(obj, every=True)[1])


def filled(obj, leaves):
    """Return the same containers with other leaves."""
    return unflatten(flatten(obj, every=True)[1], leaves)


# branches -----------------------------------------------------------------------------------


def choose(who, test, true, false):
    """Return `true()` if the Tensor `test` holds, else `false()`, as one operation."""
    regions = Region(who), Region(who)
    for region, branch in zip(regions, (true, false), strict=True):
        region.record(branch)
    _fill_pending(*regions)
    _fill_pending(*regions[::-1])
    if regions[0].form != regions[1].form:
        raise unrecordable("its-branches-give", one=regions[0].form, other=regions[1].form)
    pairs = list(zip(regions[0].leaves, regions[1].leaves, strict=True))
    varying, weak_results = {}, []  # index of a leaf that differs -> dtype to cast to, or None
    for i, pair in enumerate(pairs):
        if same(*pair):
            continue
        scalar_types = [region.kind(leaf) for region, leaf in zip(regions, pair, strict=True)]
        varying[i] = _common_dtype(pair, scalar_types)
        if scalar_types[0] is not None and scalar_types[0] is scalar_types[1]:
            weak_results.append(len(varying) - 1)
    handles = {k: h for region in regions for k, (h, _) in region.written.items()}
    outputs = _record_cond(who, test, regions, varying, weak_results, handles)
    leaves = [leaf for leaf, _ in pairs]
    for i, value in zip(varying, outputs, strict=True):
        leaves[i] = wrap(value)
    return filled(regions[0].result, leaves)


def _fill_pending(one, other):
    """Replace PENDING results of one region with zeros like the other region's results."""
    if not any(leaf is PENDING for leaf in one.leaves) or one.result.__class__ is not tuple:
        return
    one.set_result(
        tuple([
            map_tensors(partial := functools.partial(one.blank, other=other), b, partial)
            if a is PENDING else a
            for a, b in zip(one.result, other.result, strict=True)
        ])
    )  # fmt: skip


def _common_dtype(pair, scalar_types):
    """Return the dtype to cast two branches' leaves to; None if they must agree without a cast."""
    if scalar_types[0] is scalar_types[1] and (
        scalar_types[0] is not None or all(map(_is_tensor, pair))
    ):
        return None
    tensors = [leaf for leaf, kind in zip(pair, scalar_types, strict=True) if kind is None]
    if len(tensors) == 1 and _is_tensor(tensors[0]) and not tensors[0].shape:
        return tensors[0]._value.aval.dtype  # a scalar in one branch, a 0-d Tensor in the other
    raise unrecordable("its-branches-give", one=described(pair[0]), other=described(pair[1]))


def _is_tensor(leaf):
    return isinstance(leaf, Tensor)


def described(leaf):
    """Describe a leaf; a Tensor by its aval, since it has no concrete value."""
    return describe(leaf._value.aval) if isinstance(leaf, Tensor) else f"{leaf!r:.80}"


def _record_cond(who, test, regions, varying, weak_results, handles):
    values = []
    for region in regions:
        now = [region.written[k][1] if k in region.written else h for k, h in handles.items()]
        now += [v for other in regions for v in region.printed_values(other)]
        dtypes = [*varying.values(), *[None] * len(now)]
        values.append(region.values([*[region.leaves[i] for i in varying], *now], dtypes))
    for one, other in zip(*values, strict=True):
        if one.aval is not other.aval:
            one, other = describe(one.aval), describe(other.aval)
            raise unrecordable("its-branches-give", one=one, other=other)
    if not values[0]:
        _print_taken(test, regions, [])
        return []
    operands, branches = [], []
    for region, some in zip(regions, values, strict=True):
        op, op_operands = region.operation(some)
        branches.append(
            (op, tuple([~i for i in range(len(operands), len(operands) + len(op_operands))]))
        )
        operands += op_operands
    op = cached_op(cond_op, who, *branches, tuple(weak_results))
    outputs = record(op, value_of(who, test), *operands)
    remaining = iter(outputs[len(varying) :])
    for handle in handles.values():
        handle._bind(next(remaining))
    _print_taken(test, regions, remaining)
    return outputs[: len(varying)]


def _print_taken(test, regions, values):
    """Defer the prints of both branches; at each run the ones of the taken branch are shown.

    `values`: the Values of all prints.
    """
    remaining = iter(values)
    for region, is_true in zip(regions, (True, False), strict=True):
        for shown in region.closed.prints:
            values_shown = [next(remaining) for _ in shown.weak]
            defer_print(shown.where(test._lift(), is_true, values_shown))
