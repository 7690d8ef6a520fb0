"""A hash of a trace that is the same in every process: the key of its program in a packed file.

An operation that sporax declares is hashed by its declaration and attributes, and its pullback by
these, so that nothing has to be traced by JAX; any other one by its jaxpr. sporax's source is not
part of the hash, but of the file's fingerprint.
"""

import enum
import hashlib
from typing import Any

import jax
import numpy as np

from sporax._src.core.jax_internals import ClosedJaxpr, Jaxpr, Literal
from sporax._src.runtime.engine.operation import Op, Pullback

_config: Any = jax.config
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.dtype, enum.Enum)
# operations whose other parameters, functions, are not part of a program
_CALLS = {"custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}


class Unhashable(Exception):
    """A part of a trace that differs from process to process, such as a user's function."""


def key_of(trace, alive, dead):
    """Return the hash of a trace, its outputs and its donated inputs; None if it has none."""
    try:
        parts = _config.jax_default_matmul_precision, _trace(trace), alive, dead
    except Unhashable:
        return None
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _trace(trace):
    if trace.constants:
        raise Unhashable
    steps = []
    for op, rule, refs in trace.steps:
        steps.append((None if refs is None else _rule(op, rule), refs))
    return [*map(_aval, trace.inputs)], trace.n_reals, trace.n_integers, steps


def _rule(op, rule):
    named = _op(op)
    if named is None:
        named = _jaxpr(rule.jaxpr)
    return named, [*map(_aval, rule.operands)], [*map(_aval, rule.avals)]


def _op(op):
    """Return the identity of an operation; None if only its jaxpr tells."""
    if op.__class__ is Pullback:
        primal = _op(op.primal)
        return primal and ("pullback", primal, op.inputs, op.outputs)
    if op.__class__ is not Op:
        return None
    if op.declared is not None:
        declaration, attributes, structure = op.declared
        return _function(declaration.fn, declaration.name, attributes, structure)
    if op.identity is not None:
        return _function(*op.identity)
    inner = getattr(op.fn, "steps_of", None)
    if inner is None:
        return None
    trace, reals, integers, wanted = inner
    return "captured", _trace(trace), reals.tolist(), integers.tolist(), wanted


def _function(fn, *values):
    """Return the identity of a function of sporax's source with these values; None without one."""
    if not fn.__module__.startswith("sporax."):
        return None
    try:
        return fn.__module__, fn.__qualname__, fn.__code__.co_firstlineno, _plain(values)
    except Unhashable:
        return None


def _aval(aval):
    return aval.shape, str(aval.dtype), aval.weak


def _plain(value):
    """Return a value as something whose `repr` tells all of it."""
    if isinstance(value, (tuple, list)):
        return value.__class__.__name__, [*map(_plain, value)]
    if isinstance(value, dict):
        return [(str(name), _plain(value[name])) for name in sorted(value, key=str)]
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, map(_plain, value)))
    if isinstance(value, slice):
        return "slice", _plain([value.start, value.stop, value.step])
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        array = np.asarray(value)
        return array.shape, str(array.dtype), hashlib.sha256(array.tobytes()).hexdigest()
    if isinstance(value, _PLAIN):
        return value
    raise Unhashable(repr(value))


def _jaxpr(jaxpr):
    constants = []
    if isinstance(jaxpr, ClosedJaxpr):
        jaxpr, constants = jaxpr.jaxpr, [*map(_plain, jaxpr.consts)]
    numbers = {v: k for k, v in enumerate((*jaxpr.constvars, *jaxpr.invars))}

    def atom(v):
        return ("literal", _plain(v.val), str(v.aval)) if isinstance(v, Literal) else numbers[v]

    equations = []
    for eqn in jaxpr.eqns:
        operands = [*map(atom, eqn.invars)]
        numbers.update({v: len(numbers) + k for k, v in enumerate(eqn.outvars)})
        name, params = eqn.primitive.name, eqn.params
        params = {k: v for k, v in params.items() if name not in _CALLS or k == _CALLS[name]}
        avals = [str(v.aval) for v in eqn.outvars]
        equations.append((name, [(k, _param(params[k])) for k in sorted(params)], operands, avals))
    inputs = [str(v.aval) for v in (*jaxpr.constvars, *jaxpr.invars)]
    return constants, inputs, equations, [*map(atom, jaxpr.outvars)]


def _param(value):
    """Return an equation's parameter, as `_plain` does, with jaxprs and JAX's own records."""
    if isinstance(value, (Jaxpr, ClosedJaxpr)):
        return _jaxpr(value)
    if isinstance(value, (tuple, list)):
        return value.__class__.__name__, [*map(_param, value)]
    try:
        return _plain(value)
    except Unhashable:
        text = repr(value)
        if " at 0x" in text or not value.__class__.__module__.startswith(("jax", "numpy", "ml_")):
            raise
        return text
