"""What converted functions (`engine.convert`) call in place of Python's own `if`, `while`, `and`.

Where the condition is no Tensor, or its number is there, they do what Python does.
"""

import functools
import operator
from typing import Any

import jax.numpy as jnp

from sporax.autodiff.flow import Unrecordable, as_number, choose, is_in_part, is_open, repeat
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.core.value import thread
from sporax.engine.operation import Op
from sporax.engine.recorder import apply


def _go_on(who, why):
    """After a refusal: Python asks for the number, unless there can be none."""
    capture = thread.recorder.capture
    if not capture.has_numbers:
        raise RuntimeError(
            f"For '{who}', branches and loops on Tensors must be operations where a function is "
            f"recorded without numbers, but {why}."
        ) from why
    capture.reason = str(why).rstrip(".")


def branch(test, true, false, variables):
    """`if test: ... else: ...`, the branches being functions of the variables that they assign."""
    values = [bound(variable) for variable in variables]
    if is_open(test):
        try:
            return choose("if", test, lambda: true(*values), lambda: false(*values))
        except Unrecordable as why:
            _go_on("if", why)
    return (true if test else false)(*values)


def loop(who, test, body, carried):
    """`while test(carried): carried = body(carried)`; the last `carried`."""
    while True:
        holds = test(carried)
        if is_open(holds):
            try:
                return repeat(who, test, body, carried)
            except Unrecordable as why:
                _go_on(who, why)
        if not holds:
            return carried
        carried = body(carried)


def while_(test, body, variables):
    """`while test: ...`, both being functions of the variables that the body assigns."""
    values = tuple([bound(variable) for variable in variables])
    return loop("while", lambda carried: test(*carried), lambda carried: body(*carried), values)


def bounds(*arguments):
    """(first, last, step) of `range(*arguments)`; Tensors without numbers compute as ints."""
    if not any(map(is_open, arguments)):
        over = range(*arguments)
        return over.start, over.stop, over.step
    given = [as_number(x) if is_open(x) else range(x).stop for x in arguments]
    return {1: (0, *given, 1), 2: (*given, 1), 3: tuple(given)}[len(given)]


def is_before(now, last, step):
    """Whether a range goes on."""
    return now < last if step > 0 else now > last


def set_attribute(thing, name, value):
    """`thing.name = value`; in a branch or loop only where that writes to a Cell's Parameter."""
    if is_in_part():
        now = getattr(thing, "_params", {}).get(name)
        if not isinstance(now, Parameter) or value.__class__ is not Tensor:
            raise Unrecordable(f"it gives the attribute '{name}' a value, which is no Parameter")
    setattr(thing, name, value)


def set_item(thing: Any, index, value):
    """`thing[index] = value`; in a branch or loop only where that writes to a Tensor."""
    if not issubclass(type(thing), Tensor) and is_in_part():
        raise Unrecordable(f"it puts an item into a {type(thing).__name__}")
    thing[index] = value


def changed(name, value, by):
    """What `value += by`, or another operator of `operator`, gives."""
    return getattr(operator, name)(value, by)


class Unbound:
    """What a variable holds that has no value yet."""

    def __repr__(self):
        return "a variable without a value"


UNBOUND = Unbound()


def bound(variable):
    """What a variable (a function that reads it) holds."""
    try:
        return variable()
    except NameError:
        return UNBOUND


def not_(x):
    """`not x` in a condition."""
    return _logical("not", jnp.logical_not, x) if is_open(x) else not x


def and_(*terms):
    """`a and b` in a condition; the terms are functions, called as far as is needed."""
    return _chain(terms, False, jnp.logical_and)


def or_(*terms):
    """`a or b` in a condition."""
    return _chain(terms, True, jnp.logical_or)


def _chain(terms, end, meet):
    so_far = None
    for term in terms:
        value = term()
        if so_far is not None:
            so_far = _logical("and/or", meet, so_far, value)
        elif is_open(value):
            so_far = value
        elif bool(value) is end:
            return value
    return value if so_far is None else so_far


def _logical(name, function, *operands):
    return apply(_truth(name, function), *operands)


@functools.cache
def _truth(name, function):
    return Op(name, lambda *xs: function(*[x.reshape(()) != 0 for x in xs]))
