"""The peak memory of a jaxpr's execution, and the arrays stored at that time.

XLA allocates a program's inputs, its results and one block for temporary arrays. A result may take
the place of a donated input. A temporary array takes memory from the operation that computes it to
its last use. This module computes these from the jaxpr, as XLA does on a CPU, without compiling:

- calls are inlined, and equal operations run once;
- reshapes, barriers and the like share their operand's memory;
- an elementwise result is never stored if the loops that use it can compute it: of one of them, or
  of several if it is cheap. Then they read its operands instead, which live longer for it;
- the result of a loop may replace an operand of the same size at its last use;
- the temporary arrays of a loop's body or a branch count while it runs;
- the order is the program's, but an operation runs as soon as it can if that frees memory, such as
  the update of a Parameter once its gradient is known.
"""

import collections
import functools
import heapq
import itertools
import math
from typing import Any, NamedTuple

from sporax._src.core.jax_internals import interpret, jaxprs_in, scan_counts
from sporax._src.runtime.memory.flat import merge

# results share the memory of the operands
VIEWS = {
    "copy_p", "expand_dims", "optimization_barrier", "reduce_precision", "reshape", "squeeze",
    "stop_gradient",
}  # fmt: skip
# computed within the loops that use them, even of several
_CHEAP = {
    "abs", "add", "add_any", "and", "bitcast_convert_type", "broadcast_in_dim", "ceil", "clamp",
    "convert_element_type", "copy", "eq", "floor", "ge", "gt", "integer_pow", "iota",
    "is_finite", "le", "lt", "max", "min", "mul", "ne", "neg", "not", "one_minus_square", "or",
    "polynomial", "rev", "round", "select_n", "sign", "slice", "split", "square", "sub",
    "transpose", "xor",
}  # fmt: skip
# computed within a loop if that is the only one that uses them
_COSTLY = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "concatenate", "cos",
    "cosh", "digamma", "div", "dynamic_slice", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1",
    "gather", "lgamma", "log", "log1p", "log2", "logistic", "nextafter", "pad", "pow", "rem",
    "rsqrt", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sin", "sinh",
    "sqrt", "tan", "tanh",
}  # fmt: skip
_REDUCTIONS = {
    "argmax", "argmin", "reduce_and", "reduce_max", "reduce_min", "reduce_or", "reduce_prod",
    "reduce_sum", "reduce_xor",
}  # fmt: skip
_LOOPS = _CHEAP | _COSTLY
_IN_PLACE = _LOOPS - {"broadcast_in_dim", "concatenate", "gather", "rev", "transpose"}
_IN_PLACE |= {"dynamic_update_slice", "scan", "sort", "while"}  # write to an operand


class Peak(NamedTuple):
    """The memory of a program when it is largest.

    `bytes`: the sum of `arguments`; `results`, without those that replace donated arguments; and
    `temporaries`. `equation`: of the operation that runs then, None if there are no temporary
    arrays. `arrays`: the `Array`s of the temporary ones, largest first. `timeline`: (equation,
    bytes of temporary arrays while it runs) of each operation, in the order of execution.
    """

    bytes: int
    arguments: int
    results: int
    temporaries: int
    equation: Any
    arrays: list["Array"]
    timeline: list[tuple[Any, int]]


class Array:
    """An array of a program: `bytes`; `var`, of the `equation` that computes it (None for an
    input); `scope`: the name stack of the equation. `nested`: for the entry that stands for the
    temporary arrays inside a loop or a branch, their `Array`s; else empty."""

    __slots__ = ("bytes", "equation", "is_result", "nested", "scope", "storage", "users", "var")

    def __init__(self, var, size, equation=None, scope=None, nested=()):
        self.var, self.bytes, self.equation, self.scope = var, size, equation, scope
        self.nested, self.users, self.is_result = nested, [], False
        self.storage: Any = self  # the array whose memory it shares; None: that of a number

    def __repr__(self):
        name = "input" if self.equation is None else self.equation.primitive.name
        return f"<Array of {name}, {self.bytes} bytes>"


def bytes_of(aval):
    """Return the bytes of an array of this aval; 0 for a token, which orders host callbacks."""
    return aval.size * aval.dtype.itemsize if hasattr(aval, "shape") else 0


def peak(program, donated=()):
    """Return the `Peak` of a `ClosedJaxpr` or `Jaxpr`, whose inputs with the indices `donated` are
    not needed afterwards."""
    jaxpr = getattr(program, "jaxpr", program)
    run = _Program(*merge(jaxpr))
    results = [v.aval for v in jaxpr.outvars if hasattr(v.aval, "shape")]
    free = collections.Counter((a.shape, a.dtype) for a in (jaxpr.invars[i].aval for i in donated))
    kinds = collections.Counter((a.shape, a.dtype) for a in results)
    replaced = sum(
        math.prod(shape) * dtype.itemsize * n for (shape, dtype), n in (kinds & free).items()
    )
    arguments, results = _total(run.inputs), sum(map(bytes_of, results)) - replaced
    temporaries, equation, arrays = run.peak()
    return Peak(
        arguments + results + temporaries, arguments, results, temporaries, equation, arrays,
        [(step.equation, size) for step, size in run.timeline],
    )  # fmt: skip


class _Step:
    """An equation that is not a call. `index`: in the program; `operands`, `results`: `Array`s;
    `reads`: the stored arrays that it reads; `waits`: the number of steps that must run before;
    `inside`: the `Array` that stands for the temporary arrays of its bodies, or None."""

    __slots__ = (
        "equation", "index", "inside", "is_done", "name", "operands", "reads", "results", "waits",
    )  # fmt: skip

    def __init__(self, equation, operands, results, scope, index):
        self.equation, self.name, self.index = equation, equation.primitive.name, index
        self.operands, self.results = operands, results
        nested, arrays = _nested(equation)
        self.inside = Array(None, nested, equation, scope, arrays) if nested else None
        self.reads, self.waits, self.is_done = [], 0, False

    def may_read_in_loop(self, producer):
        """Return True if the result of a `producer` can be computed where this step reads it."""
        if self.name == "dot_general":
            return producer.name == "transpose"
        return self.name in _LOOPS or self.name in _REDUCTIONS

    def is_stored(self):
        """Return True if its results take memory."""
        users = [user for array in self.results for user in array.users]
        return (
            self.name not in _LOOPS
            or any(array.is_result for array in self.results)
            or (self.name in _COSTLY and len(users) > 1)
            or not all(user.may_read_in_loop(self) for user in users)
        )

    def results_kept(self):
        """Return the results that take temporary memory."""
        return [x for x in self.results if x.users and not x.is_result]

    def last_reads(self, alive):
        """Return the temporary arrays that only this step has yet to read."""
        return [x for x in self.reads if x in alive and len(x.users) == 1]

    def affected(self):
        """Note that it has run; returns the steps that may run now, or free memory now."""
        for array in self.reads:
            array.users.remove(self)
        for array in self.results:
            for user in array.users:
                user.waits -= 1
        last = [x.users for x in self.reads if len(x.users) == 1]
        return dict.fromkeys(itertools.chain(*(x.users for x in self.results), *last))


def _nested(equation):
    """Return (bytes, `Array`s) of the temporary arrays in the bodies of a loop or branches."""
    most = 0, []
    for body in jaxprs_in(equation.params):
        carried = range(len(body.invars))
        if equation.primitive.name == "scan":
            n, m = scan_counts(equation.params)
            carried = range(n, n + m)
        inner = peak(body, carried)
        size = inner.temporaries + (inner.results if equation.primitive.name == "scan" else 0)
        most = max(most, (size, inner.arrays), key=lambda pair: pair[0])
    return most


class _Program:
    """The steps of a jaxpr without calls that its results need. `inputs`: `Array`s, besides the
    `constants`, variables."""

    def __init__(self, jaxpr, constants=()):
        steps = []
        of_variable = {v: Array(v, bytes_of(v.aval)) for v in (*jaxpr.constvars, *jaxpr.invars)}
        self.inputs = [array for v, array in of_variable.items() if v not in constants]
        arrays, n = list(of_variable.values()), len(jaxpr.constvars)
        run = functools.partial(self._results, steps)
        for array in interpret(jaxpr, arrays[:n], arrays[n:], run, lambda literal: literal):
            if isinstance(array, Array) and array.storage is not None:
                array.storage.is_result = True
        self.steps = self._stored(steps)
        self.timeline = []  # of `peak`: (step, bytes of temporary arrays during it), in order

    def _results(self, steps, equation, operands):
        """Return the results of an equation, and append its step if it has to run."""
        name, scope = equation.primitive.name, equation.source_info.name_stack
        results = [Array(v, bytes_of(v.aval), equation, scope) for v in equation.outvars]
        if name in VIEWS:
            for array, operand in zip(results, operands, strict=False):
                array.storage = operand.storage if isinstance(operand, Array) else None
            return results
        given = [x.storage for x in operands if isinstance(x, Array) and x.storage is not None]
        steps.append(_Step(equation, given, results, scope, len(steps)))
        return results

    def _stored(self, steps):
        """Return the steps whose results are stored, with the stored arrays that they read."""
        needed = []
        for step in reversed(steps):
            is_used = any(array.is_result or array.users for array in step.results)
            if is_used or step.equation.effects:
                needed.append(step)
                for array in step.operands:
                    array.users.append(step)
        kept, sources = [], {}  # array that is not stored -> the stored ones that it needs
        for step in reversed(needed):
            step.reads = list(
                dict.fromkeys(a for x in step.operands for a in sources.get(x, (x,)))
            )  # fmt: skip
            if step.is_stored():
                kept.append(step)
            else:
                sources.update(dict.fromkeys(step.results, step.reads))
        for array in {x for step in kept for x in (*step.reads, *step.results)}:
            array.users = []  # from now on: the steps that have yet to read it
        for step in kept:
            for array in step.reads:
                array.users.append(step)
        for step in kept:
            for user in itertools.chain(*(array.users for array in step.results)):
                user.waits += 1
        return kept

    def peak(self):
        """Return (most bytes of temporary arrays, the equation that runs then, these arrays)."""
        alive, now, most, early, rest = {}, 0, (0, None, []), [], iter(self.steps)
        while (step := heapq.heappop(early)[1] if early else next(rest, None)) is not None:
            if step.is_done:
                continue
            step.is_done, results, dead = True, step.results_kept(), step.last_reads(alive)
            replaced = _replaced(results, dead) if step.name in _IN_PLACE else []
            inside = [step.inside] if step.inside else []
            during = now + _total(results) + _total(inside) - _total(replaced)
            self.timeline.append((step, during))
            if during > most[0]:
                stored = [x for x in (*alive, *results, *inside) if x not in replaced]
                most = during, step.equation, sorted(stored, key=lambda x: -x.bytes)
            now += _total(results) - _total(dead)
            alive.update(dict.fromkeys(results))
            for array in dead:
                del alive[array]
            for other in step.affected():
                if not other.waits and _total(other.results_kept()) < _total(
                    other.last_reads(alive)
                ):
                    heapq.heappush(early, (other.index, other))
        return most


def _total(arrays):
    return sum(array.bytes for array in arrays)


def _replaced(results, dead):
    """Return the arrays read last by a step that its results take the place of."""
    sizes = collections.Counter(array.bytes for array in results)
    return [x for x in dead if sizes[x.bytes] > 0 and not sizes.subtract((x.bytes,))]
