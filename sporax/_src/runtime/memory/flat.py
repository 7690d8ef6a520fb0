"""Jaxprs without calls, without equal or unneeded equations: what XLA makes of a program before it
decides what is stored."""

import jax
import numpy as np

from sporax._src.core.jax_internals import (
    ClosedJaxpr,
    Literal,
    Var,
    called,
    dce_jaxpr,
    interpret,
)


def flat(closed):
    """Return a `ClosedJaxpr` with its calls inlined, equal equations merged and those dropped that
    neither its results nor effects need."""
    merged, constants = merge(closed.jaxpr)
    new, _ = dce_jaxpr(merged, [True] * len(merged.outvars), instantiate=True)
    return ClosedJaxpr(new, [*closed.consts, *constants.values()])


def merge(jaxpr):
    """Return (a jaxpr with its calls inlined and equal equations merged, {variable: constant} of
    the calls, which are its last `constvars`)."""
    merging = _Merging()
    outvars = merging.inline(jaxpr, jaxpr.constvars, jaxpr.invars, None)
    constvars = [*jaxpr.constvars, *merging.constants]
    eqns, info = merging.eqns, jaxpr.debug_info
    new = jaxpr.replace(eqns=eqns, constvars=constvars, outvars=outvars, debug_info=info)
    return new, merging.constants


class _Merging:
    """`eqns`: the equations so far; `constants`: {variable: constant} of the calls."""

    def __init__(self):
        self.eqns, self.constants, self.known = [], {}, {}

    def inline(self, jaxpr, constants, operands, scope):
        """Add the equations of a jaxpr; returns the variables of its results."""

        def evaluate(equation, operands):
            own = equation.source_info.name_stack
            name_stack = own if scope is None else scope + own
            callee = called(equation)
            if callee is not None:
                return self.inline(callee[0], self.variables(callee[1]), operands, name_stack)
            return self.add(equation, operands, name_stack)

        return interpret(jaxpr, constants, operands, evaluate, lambda literal: literal)

    def variables(self, constants):
        """Return a variable for each constant of a call."""
        new = {Var(jax.typeof(x)): x for x in map(np.asarray, constants)}
        self.constants.update(new)
        return list(new)

    def add(self, equation, operands, name_stack):
        """Add an equation, unless there is an equal one; returns the variables of its results."""
        key = None if equation.effects else key_of(equation, operands)
        if key is None or key not in self.known:
            outvars = [Var(v.aval) for v in equation.outvars]
            source = equation.source_info.replace(name_stack=name_stack)
            self.eqns.append(equation.replace(invars=operands, outvars=outvars, source_info=source))
            if key is None:
                return outvars
            self.known[key] = outvars
        return self.known[key]


def key_of(equation, operands):
    """Return a key that is equal for equations with equal results; None if there is none."""
    atoms = [
        (x.aval, np.asarray(x.val).tobytes()) if isinstance(x, Literal) else id(x) for x in operands
    ]
    key = equation.primitive, *sorted(equation.params.items()), *atoms
    try:
        hash(key)
    except TypeError:
        return None
    return key
