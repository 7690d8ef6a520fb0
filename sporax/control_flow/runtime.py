"""What converted functions (`ast_transform.convert`) call in place of Python's own `if`, `while`,
`and`.

Where the condition is no Tensor, or its number is there, they do what Python does.
"""

import functools
import operator
from functools import partial
from typing import Any

import jax.numpy as jnp

from sporax.ast_transform.print_runtime import is_shown
from sporax.ast_transform.runtime_functions import RUNTIME, runtime_function
from sporax.control_flow.cond import (
    PENDING,
    UNBOUND,
    Unrecordable,
    as_number,
    choose,
    is_in_part,
    is_open,
    refuse,
)
from sporax.control_flow.while_scan import repeat
from sporax.core.from_host import plain
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.engine.operation import Op
from sporax.engine.recorder import apply
from sporax.index_checks.checks import counting_where
from sporax.staging.graph_break import CONDITION

vars(RUNTIME).update(PENDING=PENDING, UNBOUND=UNBOUND)


def _go_on(who, why):
    """After a refusal: Python asks for the number, unless there can be none."""
    tracer = thread.recorder.tracer
    if not tracer.has_concrete_inputs:
        tracer.error = RuntimeError(
            f"For '{who}', branches and loops on Tensors must be operations where a function is "
            f"recorded without numbers, but {str(why).rstrip('.')}."
        )
        raise tracer.error from why
    tracer.reason = str(why).rstrip(".")


@runtime_function(CONDITION)
def python_condition(test, why):
    """The condition of a statement that stays Python's, and why it does."""
    if is_open(test):
        _go_on("if", Unrecordable(why))
    return test


@runtime_function(CONDITION)
def branch(test, true, false, variables):
    """`if test: ... else: ...`, the branches being functions of the variables that they assign."""
    values = all_bound(*variables)
    if is_open(test):
        try:
            return choose("if", test, partial(true, *values), partial(false, *values))
        except Unrecordable as why:
            _go_on("if", why)
    return (true if test else false)(*values)


def loop(who, test, body, carried, most=None):
    """`while test(carried): carried = body(carried)`; the last `carried`. `most(carried)`: how many
    turns there are at most from then on, None where nobody knows."""
    left = most and most(carried)
    while True:
        holds = test(carried)
        if is_open(holds):
            try:
                return repeat(who, test, body, carried, left)
            except Unrecordable as why:
                _go_on(who, why)
        if not holds:
            return carried
        carried, left = body(carried), left and left - 1


class Unpacked:
    """A function of what a loop carries, for one of variables."""

    def __init__(self, function):
        self.function = self.__wrapped__ = function

    def __call__(self, carried):
        return self.function(*carried)


@runtime_function(CONDITION)
def while_(test, body, most, variables):
    """`while test: ...`, all being functions of the variables that the body assigns."""
    values = all_bound(*variables)
    return loop("while", Unpacked(test), Unpacked(body), values, Unpacked(most))


@runtime_function()
def turns(now, last, step):
    """How many turns a loop makes at most from a number on; None for Tensors without numbers."""
    if any(x.__class__ is not int for x in (now, last, step)):
        return None
    return len(range(now, last, step))


@runtime_function(CONDITION)
def is_over(stop, items):
    """Whether a `for` that met a `break` ends; where only a Tensor says so, the turns that follow
    do nothing, if it may go on over the items without a difference."""
    return False if is_open(stop) and isinstance(items, _REPEATABLE) else bool(stop)


_REPEATABLE = (tuple, list, Tensor, range, dict, set, frozenset, str, zip, enumerate, reversed)


@runtime_function(CONDITION)
def bounds(*arguments):
    """(first, last, step) of `range(*arguments)`; Tensors without numbers compute as ints."""
    if not any(map(is_open, arguments)):
        over = range(*arguments)
        return over.start, over.stop, over.step
    limits = [as_number(x) if is_open(x) else range(x).stop for x in arguments]
    return {1: (0, *limits, 1), 2: (*limits, 1), 3: tuple(limits)}[len(limits)]


@runtime_function(CONDITION)
def is_before(now, last, step):
    """Whether a range goes on."""
    return now < last if step > 0 else now > last


@runtime_function()
def set_attribute(thing, name, value):
    """`thing.name = value`; in a branch or loop only where that writes to a Cell's Parameter."""
    if is_in_part():
        now = getattr(thing, "_params", {}).get(name)
        if not isinstance(now, Parameter) or not (
            value.__class__ is Tensor or (isinstance(plain(value), (int, float)) and not now.shape)
        ):
            refuse(f"it gives the attribute '{name}' a value, which is no Parameter")
    setattr(thing, name, value)


@runtime_function()
def set_item(thing: Any, index, value):
    """`thing[index] = value`; in a branch or loop only where that writes to a Tensor."""
    if not issubclass(type(thing), Tensor) and is_in_part():
        refuse(f"it puts an item into a {type(thing).__name__}")
    thing[index] = value


@runtime_function()
def printer(function):
    """What to call for `print`; in a branch or loop only where that shows what it prints."""
    if is_in_part() and not is_shown(function):
        raise Unrecordable("'print' is another function than Python's")
    return function


@runtime_function()
def changed(name, value, by):
    """What `value += by`, or another operator of `operator`, gives."""
    return getattr(operator, name)(value, by)


def bound(variable):
    """What a variable (a function that reads it) holds."""
    try:
        return variable()
    except NameError:
        return UNBOUND


@runtime_function()
def all_bound(*variables):
    """What variables hold."""
    return tuple([bound(variable) for variable in variables])


@runtime_function(CONDITION)
def not_(x):
    """`not x`."""
    return _logical("not", jnp.logical_not, x) if is_open(x) else not x


@runtime_function(CONDITION)
def and_(first, *terms):
    """`first and ...` in a condition; the terms are functions, called as far as is needed."""
    return _chain(first, terms, False, jnp.logical_and)


@runtime_function(CONDITION)
def or_(first, *terms):
    """`first or ...` in a condition."""
    return _chain(first, terms, True, jnp.logical_or)


def _chain(value, terms, end, meet):
    so_far = None
    for term in (None, *terms):
        if term is not None:
            value = term() if so_far is None else _ahead(term, so_far, not end)
            if value is _PRINTS:
                _go_on("and/or", Unrecordable("a term prints, which happens where it is reached"))
                if bool(so_far) is end:
                    return so_far
                so_far, value = None, term()
        if so_far is not None:
            so_far = _logical("and/or", meet, so_far, value)
        elif is_open(value):
            so_far = value
        elif bool(value) is end:
            return value
    return value if so_far is None else so_far


@runtime_function(CONDITION)
def both(value, *terms):
    """`value and ...`, which is one of them."""
    if not terms:
        return value
    return branch(value, lambda: both(terms[0](), *terms[1:]), lambda: value, ())


@runtime_function(CONDITION)
def either(value, *terms):
    """`value or ...`, which is one of them."""
    if not terms:
        return value
    return branch(value, lambda: value, lambda: either(terms[0](), *terms[1:]), ())


@runtime_function(CONDITION)
def chained(left, *terms):
    """`left < middle < right`: (the name of the comparison, what stands behind it), that of the
    first, and functions that give the others."""
    (name, middle), *rest = terms
    holds = getattr(operator, name)(left, middle)
    if not rest:
        return holds
    (after, right), *more = rest
    return both(holds, lambda: chained(middle, (after, right()), *more))


_PRINTS = object()


def _ahead(term, test, is_true):
    """What a term of a condition is, where it is not known yet if it is reached, which it is where
    `test` has that truth; or `_PRINTS`."""
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
