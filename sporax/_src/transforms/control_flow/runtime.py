"""The functions that converted source (`ast_transform.convert`) calls for `if`, `while`, `and`, ...

If the condition is not a Tensor, or has a concrete value, they behave as Python.
"""

import functools
import operator
from functools import partial
from typing import Any

import jax.numpy as jnp

from sporax._src.capture.ast_transform.print_runtime import is_shown
from sporax._src.capture.ast_transform.runtime_functions import RUNTIME, runtime_function
from sporax._src.capture.staging.graph_break import CONDITION
from sporax._src.core.from_host import plain
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection
from sporax._src.runtime.engine.operation import Op
from sporax._src.runtime.engine.recorder import apply
from sporax._src.runtime.index_checks.checks import counting_where
from sporax._src.transforms.control_flow.cond import (
    PENDING,
    UNBOUND,
    Unrecordable,
    as_weak_int,
    choose,
    is_in_region,
    is_traced,
    refuse,
    unrecordable,
)
from sporax._src.transforms.control_flow.while_scan import repeat

vars(RUNTIME).update(PENDING=PENDING, UNBOUND=UNBOUND)


def _fall_back_to_python(who, why):
    """Let Python read the condition, after `Unrecordable`; raise if it has no concrete value."""
    tracer = thread.recorder.tracer
    if not tracer.has_concrete_inputs:
        tracer.error = rejection("branches-loops-tensors-operations", who, reason=why)
        raise tracer.error from why
    tracer.reason = why.args[0]


@runtime_function(CONDITION)
def python_condition(test, why):
    """Return the condition of a statement that is not converted. `why`: the rule of the reason, a
    name or text, and a line."""
    if is_traced(test):
        rule, text, line = why
        _fall_back_to_python("if", unrecordable(rule, text=text, line=line))
    return test


@runtime_function(CONDITION)
def branch(test, true, false, variables):
    """Run `if test: ... else: ...`; the branches are functions of the variables they assign."""
    values = all_bound(*variables)
    if is_traced(test):
        try:
            return choose("if", test, partial(true, *values), partial(false, *values))
        except Unrecordable as why:
            _fall_back_to_python("if", why)
    return (true if test else false)(*values)


def loop(who, test, body, carried, max_iterations=None):
    """Run `while test(carried): carried = body(carried)`; return the last `carried`.
    `max_iterations(carried)`: an upper bound of the remaining iterations, or None."""
    left = max_iterations and max_iterations(carried)
    while True:
        holds = test(carried)
        if is_traced(holds):
            try:
                return repeat(who, test, body, carried, left)
            except Unrecordable as why:
                _fall_back_to_python(who, why)
        if not holds:
            return carried
        carried, left = body(carried), left and left - 1


class Unpacked:
    """Adapts a function of variables to a function of the tuple `carried`."""

    def __init__(self, function):
        self.function = self.__wrapped__ = function

    def __call__(self, carried):
        return self.function(*carried)


@runtime_function(CONDITION)
def while_(test, body, max_iterations, variables):
    """Run `while test: ...`; all regions are functions of the variables that the body assigns."""
    values = all_bound(*variables)
    return loop("while", Unpacked(test), Unpacked(body), values, Unpacked(max_iterations))


@runtime_function()
def iteration_count(now, last, step):
    """Return the number of iterations of a range; None unless all bounds are ints."""
    if any(x.__class__ is not int for x in (now, last, step)):
        return None
    return len(range(now, last, step))


@runtime_function(CONDITION)
def is_over(stop, items):
    """Return True if a `for` ends after `break`. If `stop` is traced, the loop continues and the
    remaining iterations do nothing, provided that the items can be iterated again."""
    return False if is_traced(stop) and isinstance(items, _REPEATABLE) else bool(stop)


_REPEATABLE = (tuple, list, Tensor, range, dict, set, frozenset, str, zip, enumerate, reversed)


@runtime_function(CONDITION)
def bounds(*arguments):
    """Return (start, stop, step) of `range(*arguments)`; traced Tensors become weak ints."""
    if not any(map(is_traced, arguments)):
        over = range(*arguments)
        return over.start, over.stop, over.step
    limits = [as_weak_int(x) if is_traced(x) else range(x).stop for x in arguments]
    return {1: (0, *limits, 1), 2: (*limits, 1), 3: tuple(limits)}[len(limits)]


@runtime_function(CONDITION)
def is_before(now, last, step):
    """Return True if a range has another element."""
    return now < last if step > 0 else now > last


@runtime_function()
def set_attribute(thing, name, value):
    """Set `thing.name = value`; in a branch or loop only if it writes to a Cell's Parameter."""
    if is_in_region():
        now = getattr(thing, "_params", {}).get(name)
        if not isinstance(now, Parameter) or not (
            value.__class__ is Tensor or (isinstance(plain(value), (int, float)) and not now.shape)
        ):
            refuse("sets-no-parameter", name=name)
    setattr(thing, name, value)


@runtime_function()
def set_item(thing: Any, index, value):
    """Set `thing[index] = value`; in a branch or loop only if `thing` is a Tensor."""
    if not issubclass(type(thing), Tensor) and is_in_region():
        refuse("puts-an-item", thing=thing)
    thing[index] = value


@runtime_function()
def printer(function):
    """Return the function to call for `print`; in a branch or loop, reject user functions."""
    if is_in_region() and not is_shown(function):
        raise unrecordable("print-is-another")
    return function


@runtime_function()
def changed(name, value, by):
    """Return the result of `value += by`, or of another in-place function of `operator`."""
    return getattr(operator, name)(value, by)


def bound(variable):
    """Return the value of a variable, given as a function that reads it, or UNBOUND."""
    try:
        return variable()
    except NameError:
        return UNBOUND


@runtime_function()
def all_bound(*variables):
    """Return the values of variables, given as functions that read them."""
    return tuple([bound(variable) for variable in variables])


@runtime_function(CONDITION)
def not_(x):
    """Return `not x`."""
    return _logical("not", jnp.logical_not, x) if is_traced(x) else not x


@runtime_function(CONDITION)
def and_(first, *terms):
    """Return `first and ...` in a condition; the terms are functions, evaluated lazily."""
    return _chain(first, terms, False, jnp.logical_and)


@runtime_function(CONDITION)
def or_(first, *terms):
    """Return `first or ...` in a condition; the terms are functions, evaluated lazily."""
    return _chain(first, terms, True, jnp.logical_or)


def _chain(value, terms, end, meet):
    so_far = None
    for term in (None, *terms):
        if term is not None:
            value = term() if so_far is None else _ahead(term, so_far, not end)
            if value is _PRINTS:
                _fall_back_to_python("and/or", unrecordable("a-term-prints"))
                if bool(so_far) is end:
                    return so_far
                so_far, value = None, term()
        if so_far is not None:
            so_far = _logical("and/or", meet, so_far, value)
        elif is_traced(value):
            so_far = value
        elif bool(value) is end:
            return value
    return value if so_far is None else so_far


@runtime_function(CONDITION)
def both(value, *terms):
    """Return `value and ...`: the value of a term, not only its truth."""
    if not terms:
        return value
    return branch(value, lambda: both(terms[0](), *terms[1:]), lambda: value, ())


@runtime_function(CONDITION)
def either(value, *terms):
    """Return `value or ...`: the value of a term, not only its truth."""
    if not terms:
        return value
    return branch(value, lambda: value, lambda: either(terms[0](), *terms[1:]), ())


@runtime_function(CONDITION)
def chained(left, *terms):
    """Return `left < middle < right`. A term: (name of the comparison, right operand); the operands
    after the first term are functions."""
    (name, middle), *others = terms
    holds = getattr(operator, name)(left, middle)
    if not others:
        return holds
    (after, right), *more = others
    return both(holds, lambda: chained(middle, (after, right()), *more))


_PRINTS = object()


def _ahead(term, test, is_true):
    """Return the value of a term that Python evaluates only if the truth of `test` is `is_true`;
    `_PRINTS` if the term prints."""
    tracer = thread.recorder.tracer
    prints = [] if tracer is None else tracer.prints
    count = len(prints)
    with counting_where(test, is_true):
        value = term()
    if all(shown.is_check for shown in prints[count:]):
        return value
    del prints[count:]
    return _PRINTS


def _logical(name, function, *operands):
    return apply(_truth(name, function), *operands)


@functools.cache
def _truth(name, function):
    return Op(name, lambda *xs: function(*[x.reshape(()) != 0 for x in xs]))
