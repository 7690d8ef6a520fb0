"""Conversion of jaxprs to plans.

A jaxpr becomes a `Plan`, a flat list of steps between numbered slots: calls are inlined, equal
steps are computed once, dead steps are dropped, and an array is released after its last use. If a
value is only repeated along axes (a broadcast scalar, for example), the slot holds it with these
axes of length one, and NumPy broadcasts it.
"""

import functools
import math
import weakref
from typing import Any

import jax
import numpy as np

from sporax._src.core.jax_internals import CALLS, ClosedJaxpr, Literal, primitive_jaxpr
from sporax._src.core.memory_limits import budget
from sporax._src.runtime.numpy_interpreter.blas import one_thread
from sporax._src.runtime.numpy_interpreter.control import CONTROL
from sporax._src.runtime.numpy_interpreter.denormals import flushed
from sporax._src.runtime.numpy_interpreter.elementwise import (
    ELEMENTWISE,
    ELEMENTWISE_INTEGER,
    ELEMENTWISE_RULES,
)
from sporax._src.runtime.numpy_interpreter.primitives import MOVES, REFUSED, RULES, SAME
from sporax._src.runtime.xla_kernels.onednn import convolution, recurrence
from sporax._src.runtime.xla_kernels.recurrence import SCANNED

_ON_KEYS = {"random_bits", "random_fold_in", "random_seed", "random_split", "random_unwrap"}
_ON_KEYS |= {"random_wrap", "slice", "squeeze", "unstack"}
_HALVES = {np.dtype("float16"), np.dtype(jax.numpy.bfloat16)}
_DTYPES = _HALVES | {np.dtype(name) for name in ("bool", "float32", "float64")}
_DTYPES |= {np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)}


class Unsupported(Exception):
    """A jaxpr contains something without a rule; the exception's argument names it."""


class Plan:
    """A jaxpr as steps `(function, operand slots, result slots, slots free afterwards)`.

    `work`: its approximate cost, in multiplications of a matrix product.
    """

    __slots__ = ("inputs", "outputs", "start", "steps", "work")

    def __init__(self, start, steps, inputs, outputs, work: Any):
        self.start, self.steps, self.inputs, self.outputs = start, steps, inputs, outputs
        self.work: Any = work

    def values(self, arrays):
        """Return the outputs, which may be views of inputs or of each other."""
        slots = self.start.copy()
        for slot, array in zip(self.inputs, arrays, strict=True):
            slots[slot] = array
        for function, operands, out, free in self.steps:
            results = function(*[slots[i] for i in operands])
            if out.__class__ is int:
                slots[out] = results
            else:
                for slot, value in zip(out, results, strict=True):
                    slots[slot] = value
            for slot in free:
                slots[slot] = None
        return [slots[i] for i in self.outputs]

    def __call__(self, *arrays):
        """Return the outputs as arrays that do not share memory with any other array."""
        with np.errstate(all="ignore"), one_thread, flushed:
            results = self.values(arrays)
        seen = set()
        for array in (*arrays, *self.start):
            if array is not None:
                seen.update((id(array), id(getattr(array, "base", None))))
        seen.discard(id(None))
        for i, result in enumerate(results):
            array = np.asarray(result)
            owner = array if array.base is None else array.base
            if id(owner) in seen or not array.flags.c_contiguous or owner.nbytes != array.nbytes:
                owner = array = array.copy()
            seen.add(id(owner))
            results[i] = array
        return results


class Description:
    """Properties of an equation that do not depend on its operands' slots: its parameters, the
    avals of operands and results, whether there is one result; after a step was built from it, the
    step's function and work."""

    __slots__ = ("function", "is_single", "operands", "parameters", "results", "work")

    def __init__(self, parameters, operands, results, is_single):
        self.parameters, self.operands, self.results = parameters, operands, results
        self.is_single = is_single
        self.function: Any = None
        self.work: Any = None


class Builder:
    """Collect the steps of a plan, from one jaxpr or from several one after another."""

    def __init__(self):
        self.start = []  # content of each slot before the first step: constants
        self.shapes = []  # of each slot's content: its value's shape, or one that broadcasts to it
        self.steps = []
        self.slots = {}  # a constant, view or step -> its result slots
        self.work = {}  # slot of a step's result -> the work of the step
        # by ids of equations: layers of equal sizes share their operations' jaxprs
        self.descriptions: dict[int, Description] = {}

    def slot(self, shape, constant=None):
        """Add a slot; returns its index."""
        self.start.append(constant)
        self.shapes.append(shape)
        return len(self.start) - 1

    def input(self, aval):
        """Add a slot that is filled at each call."""
        if aval.dtype not in _DTYPES:
            raise Unsupported(str(aval.dtype))
        return self.slot(aval.shape)

    def constant(self, value, aval):
        """Return the slot of a constant array."""
        value = np.asarray(value, aval.dtype)
        if value.size > 1 or value.ndim:
            return self.slot(value.shape, value)
        key = value.dtype, value.tobytes()
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = self.slot((), value)
        return slot

    def add(self, closed, operands):
        """Add the steps of a closed jaxpr on the slots `operands`; returns its outputs' slots.

        An output's slot may hold less than the full shape; see `full`.
        """
        jaxpr = closed.jaxpr
        env = {}
        for var, value in zip(jaxpr.constvars, closed.consts, strict=True):
            env[var] = self.constant(value, var.aval)
        return self.inline(jaxpr, env, operands)

    def inline(self, jaxpr, env, operands):
        env.update(zip(jaxpr.invars, operands, strict=True))
        for equation in jaxpr.eqns:
            self.equation(equation, env)
        return [self.read(atom, env) for atom in jaxpr.outvars]

    def read(self, atom, env):
        return self.constant(atom.val, atom.aval) if isinstance(atom, Literal) else env[atom]

    def full(self, slot, shape):
        """Return the slot of the same value in its full shape."""
        return self.view(_spread, slot, shape)

    def view(self, function, slot, shape):
        """Return the slot of `function(shape, value)`, a view of `slot`'s value in that shape."""
        if self.shapes[slot] == shape:
            return slot
        key = function, shape, slot
        view = self.slots.get(key)
        if view is None:
            view = self.slots[key] = self.slot(shape)
            self.steps.append((self.viewing(function, shape), (slot,), view))
        return view

    @staticmethod
    def viewing(function, shape):
        """Return the step that takes a view of a shape."""
        return functools.partial(function, shape)

    def equation(self, equation, env):
        """Append the steps of one equation of a jaxpr."""
        name = equation.primitive.name
        slots = [self.read(atom, env) for atom in equation.invars]
        if name in CALLS:
            outs = self.call(equation.params[CALLS[name]], slots)
        elif name in SAME:
            outs = slots
        else:
            description = self.descriptions.get(id(equation))
            if description is None:
                description = self.descriptions[id(equation)] = self.description(equation)
            outs = self.primitive(name, description, slots)
        env.update(zip(equation.outvars, outs, strict=True))

    @staticmethod
    def description(equation):
        operands = [atom.aval for atom in equation.invars]
        results = [var.aval for var in equation.outvars]
        is_single = len(results) == 1 and not equation.primitive.multiple_results
        return Description(equation.params, operands, results, is_single)

    def call(self, jaxpr, slots):
        if isinstance(jaxpr, ClosedJaxpr):
            return self.add(jaxpr, slots)
        return self.inline(jaxpr, {}, slots)

    def primitive(self, name, description, slots):
        parameters, operands, results = (
            description.parameters, description.operands, description.results,
        )  # fmt: skip
        if name in THIN:
            return [THIN[name](self, parameters, results[0], *slots)]
        if name in MOVES and self.shapes[slots[0]] == () and operands[0].shape != ():
            return slots[:1]  # a repeated scalar is unchanged if its places move
        if name == "convert_element_type" and operands[0].dtype == results[0].dtype:
            return slots
        if name in ELEMENTWISE or name in ELEMENTWISE_RULES:
            shapes = [self.broadcast([self.shapes[slot] for slot in slots])]
        else:
            slots = [self.full(slot, a.shape) for slot, a in zip(slots, operands, strict=True)]
            shapes = [a.shape for a in results]
        key = _key(name, parameters, slots)
        outs = self.slots.get(key)
        if outs is None:
            outs = [self.slot(shape) for shape in shapes]
            if description.function is None:
                self.complete(name, description)
            result = outs[0] if description.is_single else tuple(outs)
            self.steps.append((description.function, tuple(slots), result))
            if outs and description.work is not None:
                self.work[outs[0]] = description.work
            if key is not None:
                self.slots[key] = outs
        return outs

    def complete(self, name, description):
        """Set a step's function and work."""
        about = description.parameters, description.operands, description.results
        description.function = self.function(name, *about)
        if description.results and not isinstance(description.function, Unsupported):
            description.work = self.work_of(name, *about)

    @staticmethod
    def function(name, parameters, operands, results):
        """Return a step's function, or the error to raise if the step is needed."""
        return numpy_function(name, parameters, operands, results)

    @staticmethod
    def work_of(name, parameters, operands, results):
        """Return the approximate cost of a step, see `Plan`."""
        return work_of(name, parameters, operands, results)

    def filled(self, key, function, arguments, shape):
        """Return the slot of the constant `function(*arguments)`, which has this shape."""
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = self.slot(shape, function(*arguments))
        return slot

    @staticmethod
    def broadcast(shapes):
        first = shapes[0]
        for shape in shapes:
            if shape != first:
                break
        else:
            return first
        rank = max(map(len, shapes))
        wide = [shape for shape in shapes if len(shape) == rank]
        return tuple([next((n for n in ns if n != 1), 1) for ns in zip(*wide, strict=True)])

    def finish(self, inputs, outputs, shapes):
        """Return the plan that computes the slots `outputs`, each in its full shape."""
        outputs = [self.full(slot, shape) for slot, shape in zip(outputs, shapes, strict=True)]
        kept, needed, steps, work = set(outputs), set(outputs), [], []
        for function, operands, out in reversed(self.steps):
            outs = (out,) if out.__class__ is int else out
            if needed.isdisjoint(outs):
                continue
            if isinstance(function, Unsupported):
                raise function
            last = {*operands, *outs} - needed - kept
            needed.update(operands)
            needed.difference_update(outs)
            if outs and outs[0] in self.work:
                work.append(self.work[outs[0]])
            steps.append((function, operands, out, tuple(last)))
        return Plan(self.start, steps[::-1], inputs, outputs, self.total(work))

    @staticmethod
    def total(work):
        """Return the total work of all steps."""
        return sum(work)


# Primitives that repeat a value: the slot keeps the shorter form.


def _broadcast_in_dim(builder, parameters, result, slot, *sizes):
    if sizes or result.dtype not in _DTYPES:
        raise Unsupported("broadcast_in_dim")
    target = parameters["shape"]
    current = builder.shapes[slot]
    if all(n == 1 for n in current):
        shape = ()
    else:
        shape = [1] * len(target)
        for axis, n in zip(parameters["broadcast_dimensions"], current, strict=True):
            shape[axis] = n
        shape = tuple(shape)
    return builder.view(_reshape, slot, shape)


def _iota(builder, parameters, result):
    shape, axis = parameters["shape"], parameters["dimension"]
    dtype = np.dtype(parameters["dtype"])
    if dtype not in _DTYPES:
        raise Unsupported(f"iota ({dtype})")
    thin = tuple([n if i == axis else 1 for i, n in enumerate(shape)])
    return builder.filled(("iota", shape, axis, dtype), _counted, (thin, dtype), thin)


def _size_as_value(builder, parameters, result):
    size, dtype = parameters["dim"], result.dtype
    return builder.filled(("dim_as_value", size, dtype), np.array, (size, dtype), ())


def _counted(shape, dtype):
    size = math.prod(shape)
    budget.spend(size * (np.dtype(np.int64).itemsize + dtype.itemsize))
    return np.arange(size).astype(dtype).reshape(shape)


THIN = {"broadcast_in_dim": _broadcast_in_dim, "dim_as_value": _size_as_value, "iota": _iota}


def _spread(shape, x):
    return np.broadcast_to(x, shape)


def _reshape(shape, x):
    return x.reshape(shape)


def numpy_function(name, parameters, operands, results):
    """Return the NumPy function of only the operands, or the error to raise if it is needed."""
    if name not in _ON_KEYS:
        for aval in (*operands, *results):
            if aval.dtype not in _DTYPES:
                return Unsupported(f"{name} ({aval.dtype})")
    refusal = REFUSED.get(name)
    if refusal is not None and refusal(parameters, operands):
        return Unsupported(name)
    if name in CONTROL or name in SCANNED:
        try:
            if name in SCANNED:
                return _recurrence(name, parameters, operands)
            return CONTROL[name](plan, parameters)
        except Unsupported as missing:
            return missing
    if name == "conv_general_dilated":
        lhs, rhs = operands
        return convolution.on_arrays(parameters, lhs, rhs, results[0]) or Unsupported(name)
    function = ELEMENTWISE.get(name)
    if function is not None:
        if operands[0].dtype.kind in "iub":
            function = ELEMENTWISE_INTEGER.get(name, function)
    else:
        rule = ELEMENTWISE_RULES.get(name) or RULES.get(name)
        if rule is None:
            return Unsupported(name)
        function = functools.partial(rule, parameters)
    is_same = name in MOVES or name in _IN_HALF
    if not is_same and any(a.dtype in _HALVES for a in operands):
        return functools.partial(_in_float32, function, results[0].dtype)
    return function


# primitives with a oneDNN kernel for the sizes of their operands
OF_SIZES = {"conv_general_dilated", *SCANNED}


def _recurrence(name, parameters, operands):
    """Return oneDNN's layer or its gradients; a scan if oneDNN has none."""
    if name != "recurrence_tangent":
        run = recurrence.on_arrays(name, **parameters, avals=operands)
        if run is not None:
            return run
    specs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in operands]
    form = functools.partial(SCANNED[name], **parameters)
    return functools.partial(_values, plan(jax.make_jaxpr(form)(*specs)))


def _values(built, *arrays):
    return built.values(arrays)


# not widened from half precision: conversions, and sums that XLA, too, rounds at each step
_IN_HALF = {"convert_element_type", "bitcast_convert_type", "cumsum", "cumprod"}

_PER_STEP, _PER_ELEMENT = 20_000, 20  # measured: 1 us and 1 ns, at 2e10 products per second
_FASTER = 8  # speedup of oneDNN's convolutions over NumPy's products
_PASSES = {"recurrence": 1, "recurrence_tangent": 2, "recurrence_backward": 3}


def work_of(name, parameters, operands, results):
    """Return the approximate cost of a step, in multiplications of a matrix product."""
    if name == "while":
        return math.inf
    if name == "scan":
        return parameters["length"] * plan(parameters["jaxpr"]).work
    if name == "cond":
        return max(plan(branch).work for branch in parameters["branches"])
    factor, volumes = volumes_of(name, parameters, operands, results)
    return work_of_volumes(factor, volumes)


def work_of_volumes(factor, volumes):
    """Return the work of a step from its `volumes_of`."""
    return _PER_STEP + factor * max(volumes)


def volumes_of(name, parameters, operands, results):
    """Return (the work per element or product, a list whose maximum is their number)."""
    if name == "dot_general":
        summed = parameters["dimension_numbers"][0][0]
        depth = math.prod([operands[0].shape[axis] for axis in summed])
        return 1, [math.prod(results[0].shape) * depth]
    if name == "conv_general_dilated":
        window = parameters["dimension_numbers"].rhs_spec[1:]
        depth = math.prod([operands[1].shape[axis] for axis in window])
        return 1, [math.prod(results[0].shape) * depth // _FASTER]
    if name in SCANNED:
        length, batch, _ = results[0].shape
        weights = [math.prod(a.shape) for a in operands[2:] if len(a.shape) == 2]
        return _PASSES[name], [length * batch * sum(weights)]
    return _PER_ELEMENT, [math.prod(a.shape) for a in (*operands, *results)]


def _in_float32(function, dtype, *operands):
    """Compute half precision in float32, as XLA does on a CPU."""
    wide = [x.astype(np.float32) if x.dtype in _HALVES else x for x in operands]
    result = function(*wide)
    if isinstance(result, (tuple, list)):
        return [m.astype(dtype) if m.dtype == np.float32 else m for m in result]
    return result.astype(dtype)


def _key(name, parameters, slots):
    """Return a hashable key, equal for equal steps; None if a parameter is not hashable."""
    if not parameters:
        return name, *slots
    key = name, tuple(parameters.values()), *slots
    try:
        hash(key)
    except TypeError:
        return None
    return key


_plans = weakref.WeakKeyDictionary()  # closed jaxpr -> Plan, or the name of what is unsupported


def plan(closed):
    """Return the cached `Plan` of a closed jaxpr; raises `Unsupported`."""
    built = _plans.get(closed)
    if built is None:
        builder = Builder()
        made: Any = primitive_jaxpr(closed)
        try:
            inputs = [builder.input(aval) for aval in made.in_avals]
            outs = builder.add(made, inputs)
            built = builder.finish(inputs, outs, [aval.shape for aval in made.out_avals])
        except Unsupported as missing:
            built = str(missing)
        _plans[closed] = built
    if isinstance(built, str):
        raise Unsupported(built)
    return built


def supported(closed):
    """Return None if NumPy can run the closed jaxpr, else the name of the first that it cannot."""
    try:
        plan(closed)
    except Unsupported as missing:
        return str(missing)
    return None


def evaluate(closed, *arrays):
    """Return the outputs of a closed jaxpr for NumPy arrays, as a list of new NumPy arrays."""
    return plan(closed)(*arrays)
