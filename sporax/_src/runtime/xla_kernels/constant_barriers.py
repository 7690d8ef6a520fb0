"""Barriers between operations that XLA would combine, so that it computes each as written.

XLA's algebraic simplifier treats floating-point numbers as reals where two constants meet: it
rewrites `(1 - p) + 1e-8` to `(1 + 1e-8) - p`, which is `1 - p` in float32, and `(x * 1e30) * 1e-30`
to `x`, and also `x + 0` and `x - -0`, which are 0 for -0. Neither it nor LLVM flushes denormal
constants. Nested quotients `a / (b / c)` become `(a * c) / b`, which may overflow. A converted Bool
times `y` becomes a select, with 0 instead of NaN. Some rewrites of windows of arrays are wrong (see
`jaxlib_faults`): a window of a window, an array's elements written into the same array. It does not
look through an optimization barrier. On a CPU, XLA removes barriers after that pass: in jaxlib
0.10.2 before fusion, so that they cost nothing at run time, in 0.12 after it, so that an array
behind a barrier is stored. Barriers are placed only where such a pair meets, in the whole program:
the two may come from two operations, each harmless alone.
"""

import functools
import operator

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer

from sporax._src.core.jax_internals import (
    CALLS,
    ClosedJaxpr,
    Literal,
    barrier,
    interpret,
    scan_counts,
    times_zero,
)

# Kinds of a variable, as bit flags
CONSTANT = 1  # known to XLA
SUM = 2  # a sum or difference with a constant
PRODUCT = 4  # a product or quotient with a constant
QUOTIENT = 8
POWER = 16  # also an exponential
MASK = 32  # a converted Bool
ANY = 63
WINDOW = 64  # at an unknown index
WRITTEN = 128  # an array into which a window was written
ZERO = 256  # a constant scalar
NEGATIVE_ZERO = 512
DENORMAL = 1024  # a constant scalar, denormal in float32

# {operation: (kind of its result with a constant operand, kinds that must not meet a constant in
# it, kinds that each operand must not have)}
_FACTOR, _ROOTED = PRODUCT | QUOTIENT, QUOTIENT | POWER
_ARITHMETIC = {
    "add": (SUM, SUM, (0, 0)),
    "add_any": (SUM, SUM, (0, 0)),
    "sub": (SUM, SUM, (0, 0)),
    "mul": (PRODUCT, 0, (_FACTOR | MASK, _FACTOR | MASK)),
    "div": (PRODUCT, 0, (_FACTOR | MASK, _FACTOR | MASK)),
    "dot_general": (0, 0, (MASK, MASK)),
    "integer_pow": (0, 0, (_FACTOR,)),
    "square": (0, 0, (_FACTOR,)),
    "pow": (0, 0, (_FACTOR | POWER, 0)),
    "sqrt": (0, 0, (_ROOTED,)),
    "rsqrt": (0, 0, (_ROOTED,)),
    "log": (0, 0, (_ROOTED,)),
    "log2": (0, 0, (_ROOTED,)),
    # (1 + x) * (1 - x), and Horner's scheme in x: sums and products with constants inside
    "one_minus_square": (0, 0, (SUM,)),
    "polynomial": (SUM | PRODUCT, 0, (SUM | _FACTOR,)),
}

# Kinds of results whatever the operands, also from XLA's formula for the operation
_KINDS = {
    "div": QUOTIENT, "exp": POWER, "exp2": POWER, "integer_pow": _ROOTED, "log2": PRODUCT,
    "logistic": QUOTIENT, "pow": _ROOTED, "rsqrt": POWER, "square": POWER,
}  # fmt: skip

# Kinds of operands that XLA drops from a sum, although they turn -0 into 0
_NO_SUMMAND = {"add": ZERO, "add_any": ZERO, "sub": NEGATIVE_ZERO}

# Constants that leave the kind unchanged: (operation, position of the constant, the constant)
_NEUTRAL = {("sub", 0, 0), ("sub", 1, 0), ("mul", 0, 1), ("mul", 1, 1), ("div", 1, 1)}

# Operations whose results have their operands' kinds: elements moved, selected or converted; with
# the operands that these elements come from
_ONE, _ALL = slice(1), slice(None)
_MOVES = {
    "broadcast_in_dim": _ONE, "concatenate": _ALL, "convert_element_type": _ONE, "copy": _ONE,
    "copy_p": _ONE, "dynamic_slice": _ONE, "dynamic_update_slice": slice(2), "expand_dims": _ONE,
    "gather": _ONE, "neg": _ONE, "pad": slice(2), "reduce_precision": _ONE, "reshape": _ONE,
    "rev": _ONE, "select_n": slice(1, None), "slice": _ONE, "split": _ONE, "squeeze": _ONE,
    "stack": _ALL, "tile": _ONE, "transpose": _ONE, "unstack": _ONE,
}  # fmt: skip
_REDUCTIONS = {"reduce_max", "reduce_min", "reduce_prod", "reduce_sum"}
_SHAPES = {"broadcast_in_dim", "expand_dims", "reshape", "squeeze", "transpose"}


def kind_of(array):
    """Return the kind of an operand of a program: CONSTANT unless it is traced."""
    if isinstance(array, Tracer):
        return 0
    dtype = jnp.result_type(array)
    if np.ndim(array) or not any(jnp.issubdtype(dtype, k) for k in (np.integer, np.floating)):
        return CONSTANT
    if array == 0:
        return CONSTANT | (NEGATIVE_ZERO if np.signbit(array) else ZERO)
    return CONSTANT | (DENORMAL if abs(array) < jnp.finfo(np.float32).tiny else 0)


class Barriers:
    """Insert barriers into programs."""

    def __init__(self):
        self._done = {}  # (id(jaxpr), kinds of inputs) -> (jaxpr, new jaxpr, kinds of results)

    def put(self, program, kinds):
        """Return (the program with barriers, the kinds of its results), for inputs of these kinds.
        `program`: a `Jaxpr` or `ClosedJaxpr`, returned unchanged if it needs no barriers."""
        jaxpr = getattr(program, "jaxpr", program)
        key = id(jaxpr), tuple(kinds)
        if key not in self._done:
            steps = []

            def evaluate(step, kinds):
                new, outs = self._with_barriers(step, kinds)
                steps.extend(new)
                return outs

            constants = [CONSTANT] * len(jaxpr.constvars)
            outs = interpret(jaxpr, constants, kinds, evaluate, lambda x: kind_of(x.val))
            is_same = len(steps) == len(jaxpr.eqns) and all(map(operator.is_, steps, jaxpr.eqns))
            self._done[key] = jaxpr, jaxpr if is_same else jaxpr.replace(eqns=steps), outs
        _, new, outs = self._done[key]
        if new is jaxpr:
            return program, outs
        return new if program is jaxpr else ClosedJaxpr(new, program.consts), outs

    def _with_barriers(self, step, kinds):
        """Return (the barriers that the step needs and the step, the kinds of its results)."""
        name, given = step.primitive.name, kinds
        is_sum = name in _NO_SUMMAND and _is_inexact(step)
        hidden = _NO_SUMMAND[name] if is_sum else 0
        if name not in CALLS:  # their own steps get the barriers
            hidden |= DENORMAL
        if numbers := [i for i, kind in enumerate(kinds) if kind & hidden]:
            kinds = [0 if i in numbers else kind for i, kind in enumerate(kinds)]
        nested_rule, barred = _NESTED_RULES.get(name), []
        if nested_rule is not None:
            params, outs = nested_rule(self.put, step.params, kinds)
            if any(step.params[key] is not new for key, new in params.items()):
                step = step.replace(params={**step.params, **params})
        else:
            barred, out_kind = _rule(step, kinds)
            outs = [out_kind] * len(step.outvars)
        barred = sorted({*numbers, *barred})
        if not barred:
            return [step], outs
        taken, barriers = list(step.invars), []
        for i in barred:
            if given[i] & DENORMAL and _flushes(step, i):
                taken[i], equation = times_zero(step.invars[i], beside=step)
                barriers.append(equation)
            taken[i], equation = barrier(taken[i], beside=step)
            barriers.append(equation)
        return [*barriers, step.replace(invars=taken)], outs


def _rule(step, kinds):
    """Return (the operands that need a barrier, the kind of the results)."""
    name = step.primitive.name
    given, kinds = kinds, [kind & ~(ZERO | NEGATIVE_ZERO) for kind in kinds]
    if kinds and all(kind == CONSTANT for kind in kinds):
        is_number = name == "convert_element_type" and not step.outvars[0].aval.shape
        return [], given[0] if is_number else CONSTANT
    if name in _MOVES or _is_reshape(step):
        moved = kinds[_MOVES.get(name, _ONE)]
        same = functools.reduce(operator.and_, moved) & CONSTANT
        barred, out_kind = _windows(name, kinds)
        if barred == [0]:
            moved = [kinds[0] & ~(WINDOW | WRITTEN), *moved[1:]]
        is_converted = name == "convert_element_type" and step.invars[0].aval.dtype == bool
        if is_converted or (name == "select_n" and same):
            out_kind |= MASK
        return barred, out_kind | functools.reduce(operator.or_, moved) & ~CONSTANT | same
    out_kind = _KINDS.get(name, 0)
    if name not in _ARITHMETIC or not _is_inexact(step):
        return [], out_kind
    for i, variable in enumerate(step.invars):
        if isinstance(variable, Literal) and (name, i, complex(variable.val)) in _NEUTRAL:
            return [], kinds[1 - i]
    with_constant, apart, never = _ARITHMETIC[name]
    constants = [bool(kind & CONSTANT) for kind in kinds]
    if any(constants):  # the constant may turn out to change nothing
        out_kind |= with_constant | functools.reduce(operator.or_, kinds) & ~CONSTANT
    if name == "mul" and step.invars[0] is step.invars[1]:
        out_kind |= POWER
    never = (*never, *[0] * (len(kinds) - len(never)))
    barred = [
        i
        for i, kind in enumerate(kinds)
        if kind & never[i] or (kind & apart and any(constants[:i] + constants[i + 1 :]))
    ]
    return barred, out_kind


def _is_reshape(step):
    """Return True if `step` reduces only axes of size 1."""
    is_reduction = step.primitive.name in _REDUCTIONS
    return is_reduction and step.invars[0].aval.size == step.outvars[0].aval.size


def _flushes(step, i):
    """Return True if the processor treats a denormal operand as 0 or flushes it: not if float64
    stays float64, nor if bits are moved."""
    name, dtypes = step.primitive.name, {step.invars[i].aval.dtype, step.outvars[0].aval.dtype}
    return (name in _ARITHMETIC or name == "convert_element_type") and dtypes != {np.dtype("f8")}


def _is_inexact(step):
    return jnp.issubdtype(step.outvars[0].aval.dtype, np.inexact)


def _windows(name, kinds):
    """Return (the operands that need a barrier because the operation reads or writes a window, the
    kind that this gives the result)."""
    if name == "dynamic_slice":
        return ([0] if kinds[0] & WINDOW else []), WINDOW
    if name == "dynamic_update_slice":
        return ([] if kinds[1] & CONSTANT else [1]), WRITTEN
    if name in _SHAPES and kinds[0] & WRITTEN:
        return [0], 0
    return [], 0


# The inner jaxprs of a step: (their new values in its params, the kinds of its results)


def _call(put, params, kinds):
    name = next(name for name in CALLS.values() if name in params)
    new, outs = put(params[name], kinds)
    return {name: new}, outs


def _cond(put, params, kinds):
    new, outs = zip(*[put(branch, kinds[1:]) for branch in params["branches"]], strict=True)
    same = all(map(operator.is_, new, params["branches"]))
    outs = [functools.reduce(operator.or_, of_one) for of_one in zip(*outs, strict=True)]
    return {} if same else {"branches": new}, outs


def _while(put, params, kinds):
    n, m = params["cond_nconsts"], params["body_nconsts"]
    carried = [ANY] * (len(kinds) - n - m)
    test, _ = put(params["cond_jaxpr"], kinds[:n] + carried)
    body, _ = put(params["body_jaxpr"], kinds[n : n + m] + carried)
    return {"cond_jaxpr": test, "body_jaxpr": body}, carried


def _scan(put, params, kinds):
    n, _ = scan_counts(params)
    body, outs = put(params["jaxpr"], kinds[:n] + [ANY] * (len(kinds) - n))
    return {"jaxpr": body}, [ANY] * len(outs)


_NESTED_RULES = {**dict.fromkeys(CALLS, _call), "cond": _cond, "while": _while, "scan": _scan}
