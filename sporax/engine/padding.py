"""A program for unknown sizes, run at sizes that are larger: what is in the padding changes nothing.

The program is a jaxpr whose shapes have symbols in them. It is run with arrays of larger sizes, and
is told the true ones. What holds throughout: along an axis of size n, the first n elements are what
the program gives for the true n, and what follows is anything. Most operations keep that by
themselves, since they work along other axes or element by element. One that reduces along such an
axis gets the padding replaced by what changes nothing (0 for a sum). Where an operation does
neither, or there is no rule for it, `Unpadded` is raised.

An axis that others were merged into (a batch and a length, flattened) has its padding in between. So
each axis has a layout: its factors, numbers and symbols, the last one running fastest. It is None
where all elements along the axis are the same, so that any order of the factors will do.
"""

import ast
import functools
import operator
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend import core


class Unpadded(Exception):
    """The program would not be right at larger sizes; says why."""


@functools.cache
def _parsed(text):
    return ast.parse(text.replace("^", "**"), mode="eval").body


_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def size_at(size, sizes):
    """What a size is, a number or an expression of symbols, for these sizes of the symbols."""
    return size if isinstance(size, int) else _value(_parsed(str(size)), sizes)


def _value(node, sizes):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return sizes[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, sizes)
    if isinstance(node, ast.BinOp):
        one, other = _value(node.left, sizes), _value(node.right, sizes)
        if isinstance(node.op, ast.Pow):
            return functools.reduce(operator.mul, [one] * other)
        if type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](one, other)
    raise Unpadded(f"it computes with the size {ast.unparse(node)}")


_FACTOR = re.compile(r"(\d+)|([A-Za-z]\w*)(?:\^(\d+))?")


@functools.cache
def _factors(text):
    found = []
    for factor in text.split("*"):
        match = _FACTOR.fullmatch(factor)
        if match is None:
            raise Unpadded(f"an axis has the size {text}, which is no product of sizes that vary")
        number, name, power = match.groups()
        found += [int(number)] if number else [name] * int(power or 1)
    return tuple(sorted(found, key=lambda f: isinstance(f, int)))


def factors(size):
    """The factors of a size, those that vary first."""
    return plain([size]) if isinstance(size, int) else _factors(str(size))


def plain(layout):
    """A layout with numbers that follow each other in one."""
    found = []
    for factor in layout:
        if isinstance(factor, int) and found and isinstance(found[-1], int):
            found[-1] *= factor
        elif factor != 1:
            found.append(factor)
    return tuple(found)


def layout_of(size):
    """The layout of an axis of this size, if nothing else is known."""
    found = factors(size)
    return found if len(found) < 2 else None


def varies(size):
    """Whether a size of an axis is unknown."""
    return not isinstance(size, int) and bool(factors(size))


def varying(aval):
    """The axes of unknown size."""
    return [i for i, n in enumerate(aval.shape) if varies(n)]


class Padded:
    """One run of a program. `true`: the sizes of the symbols, as arrays; `room`: at which sizes it
    runs, as ints."""

    def __init__(self, true, room):
        self.true, self.room = true, room

    def run(self, jaxpr, constants, arrays, layouts=None):
        """(the results, their layouts) of a jaxpr for arrays of the larger sizes."""
        if layouts is None:
            layouts = [_layouts(v.aval) for v in jaxpr.invars]
        known = dict(zip(jaxpr.invars, zip(arrays, layouts, strict=True), strict=True))
        for variable, array in zip(jaxpr.constvars, constants, strict=True):
            known[variable] = array, _layouts(variable.aval)

        def find(variable):
            is_literal = isinstance(variable, core.Literal)
            return (variable.val, _layouts(variable.aval)) if is_literal else known[variable]

        for step in jaxpr.eqns:
            arrays, layouts = zip(*map(find, step.invars), strict=True) if step.invars else ([], [])
            made = self._step(step, list(arrays), list(layouts))
            known.update(zip(step.outvars, zip(*made, strict=True), strict=True))
        found = [find(v) for v in jaxpr.outvars]
        return [array for array, _ in found], [layout for _, layout in found]

    def _step(self, step, given, layouts):
        name = step.primitive.name
        outs = [v.aval for v in step.outvars]
        if name in _CALLS:
            inner = step.params.get("jaxpr", step.params.get("call_jaxpr"))
            constants = getattr(inner, "consts", ())
            return self.run(getattr(inner, "jaxpr", inner), constants, given, layouts)
        if name == "dim_as_value":
            value = size_at(step.params["dim"], self.true)
            return [jnp.asarray(value).astype(outs[0].dtype)], [()]
        params, found = step.params, [_layouts(a) for a in outs]
        ins = [v.aval for v in step.invars]
        if any(map(varying, [*ins, *outs])):
            rule = RULES.get(name)
            if rule is None:
                raise Unpadded(f"there is no rule for '{name}'")
            one = Step(params, ins, outs, layouts)
            given = rule(self, one, given)
            params, found = one.params, one.results()
        elif _mentions_sizes(params):
            raise Unpadded(f"'{name}' contains a size that varies")
        params = {key: self._at_room(value) for key, value in params.items()}
        made = step.primitive.bind(*given, **params)
        return (made if step.primitive.multiple_results else [made]), found

    def _at_room(self, value):
        if type(value) is tuple:
            return tuple(map(self._at_room, value))
        return size_at(value, self.room) if _is_size(value) else value

    def filled(self, step, i, array, axes, neutral):
        """Operand `i` of a step with another number for what is padding along these axes."""
        aval = step.ins[i]
        for axis in axes:
            if varies(aval.shape[axis]):
                place = lax.broadcasted_iota(np.int32, array.shape, axis)
                inside = self._inside(place, step.layout(i, axis))
                array = jnp.where(inside, array, jnp.asarray(neutral, array.dtype))
        return array

    def _inside(self, place, layout):
        """Where along an axis there is no padding."""
        inside, inner = True, 1
        for factor in reversed(layout):
            room = factor if isinstance(factor, int) else self.room[factor]
            if not isinstance(factor, int):
                true = jnp.asarray(self.true[factor], np.int32)
                inside = inside & (place // inner % room < true)
            inner *= room
        return inside


def _layouts(aval):
    return tuple(map(layout_of, getattr(aval, "shape", ())))


class Step:
    """An operation: its parameters, the avals of its operands and results, and the operands'
    layouts. `made`: {axis: its layout} of the results, where a rule says so."""

    def __init__(self, params, ins, outs, layouts):
        self.params, self.ins, self.outs, self.layouts = params, ins, outs, layouts
        self.made = {}

    def layout(self, i, axis):
        """The layout along an axis of operand `i`."""
        return self.layouts[i][axis] or factors(self.ins[i].shape[axis])

    def is_in_order(self, i, axis):
        """Whether all padding along an axis is at its end."""
        layout = self.layout(i, axis)
        return all(isinstance(factor, int) for factor in layout[1:])

    def results(self):
        """The layouts of the results: those of the operands' axes of the same size."""
        known = {}
        for aval, layouts in zip(self.ins, self.layouts, strict=True):
            for size, layout in zip(aval.shape, layouts, strict=True):
                if layout is not None and known.setdefault(str(size), layout) != layout:
                    raise Unpadded(f"axes of size {size} are flattened in different ways")
        found = []
        for aval in self.outs:
            own = [layout_of(n) or known.get(str(n)) for n in aval.shape]
            for axis, layout in self.made.items():
                if own[axis] not in (None, layout):
                    raise Unpadded(f"axes of size {aval.shape[axis]} are flattened differently")
                own[axis] = layout
            found.append(tuple(own))
        return found

    def count(self, axis):
        """Note that what is made differs along an axis, by its place there."""
        size = self.outs[0].shape[axis]
        if varies(size):
            layout = factors(size)
            if not all(isinstance(factor, int) for factor in layout[1:]):
                raise Unpadded("it counts along a flattened axis")
            self.made[axis] = layout

    def refuse_along(self, axes, what, aval=None):
        """Refuse where one of these axes varies."""
        aval = aval or self.ins[0]
        if any(varies(aval.shape[axis]) for axis in axes):
            raise Unpadded(f"it {what} along an axis whose size varies")


def _is_size(value):
    return jax.export.is_symbolic_dim(value)


def _mentions_sizes(value):
    if isinstance(value, dict):
        return any(map(_mentions_sizes, value.values()))
    if isinstance(value, (tuple, list)):
        return any(map(_mentions_sizes, value))
    jaxpr = getattr(value, "jaxpr", value)
    if hasattr(jaxpr, "eqns"):
        variables = [v for step in jaxpr.eqns for v in (*step.invars, *step.outvars)]
        inside = [n for v in variables for n in getattr(v.aval, "shape", ())]
        return _mentions_sizes(inside) or any(_mentions_sizes(s.params) for s in jaxpr.eqns)
    return _is_size(value)


# rules: (run, step, operands) -> operands; they may set `step.params` and `step.made` ------------


def _as_it_is(run, step, given):
    return given


def _reduction(neutral):
    def rule(run, step, given):
        (array,) = given
        return [run.filled(step, 0, array, step.params["axes"], neutral(array.dtype))]

    return rule


def _place_of(neutral):
    def rule(run, step, given):
        if not all(step.is_in_order(0, axis) for axis in step.params["axes"]):
            raise Unpadded("it counts along a flattened axis")
        return _reduction(neutral)(run, step, given)

    return rule


def _running(neutral):
    def rule(run, step, given):
        (array,), axis = given, step.params["axis"]
        if step.layouts[0][axis] is None:
            step.count(axis)
        return [run.filled(step, 0, array, [axis], neutral(array.dtype))]

    return rule


def _constant(number):
    return lambda dtype: number


def _least(dtype):
    if dtype == bool:
        return False
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _greatest(dtype):
    if dtype == bool:
        return True
    return np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _product(run, step, given):
    (left, right), _ = step.params["dimension_numbers"]
    return [run.filled(step, i, given[i], axes, 0) for i, axes in enumerate((left, right))]


def _convolution(run, step, given):
    numbers = step.params["dimension_numbers"]
    specs = numbers.lhs_spec, numbers.rhs_spec
    for aval, spec in zip(step.ins, specs, strict=True):
        step.refuse_along(spec[2:], "convolves", aval)
    if step.params["batch_group_count"] != 1 or step.params["feature_group_count"] != 1:
        step.refuse_along(specs[0][1:2], "convolves in groups")
        step.refuse_along(specs[1][:2], "convolves in groups", step.ins[1])
        if step.params["batch_group_count"] != 1:
            step.refuse_along(specs[0][:1], "convolves in groups")
    return [run.filled(step, i, given[i], spec[1:2], 0) for i, spec in enumerate(specs)]


def _reshape(run, step, given):
    before, after = step.ins[0].shape, step.outs[0].shape
    if step.params.get("dimensions") is not None:
        raise Unpadded("it reshapes and transposes")
    rest = [f for axis in range(len(before)) for f in step.layout(0, axis)][::-1]
    for axis, size in enumerate(after):
        layout = _taken(rest, factors(size))
        if layout is None:
            raise Unpadded(f"it reshapes {before} to {after}, which moves what varies")
        step.made[axis] = layout
    step.ins = step.layouts = []
    return given


def _taken(rest, wanted):
    """The next factors of what is reshaped (last first in `rest`), whose product is wanted."""
    symbols = [f for f in wanted if not isinstance(f, int)]
    number = _count([f for f in wanted if isinstance(f, int)])
    found = []
    while symbols or number > 1:
        factor = rest.pop() if rest else None
        if factor in symbols:
            symbols.remove(factor)
        elif not isinstance(factor, int):
            return None
        elif number % factor == 0:
            number //= factor
        elif factor % number == 0 and number > 1:
            rest.append(factor // number)
            factor, number = number, 1
        else:
            return None
        found.append(factor)
    return plain(found)


def _count(sizes):
    return functools.reduce(operator.mul, sizes, 1)


def _iota(run, step, given):
    step.count(step.params["dimension"])
    return given


def _windows(run, step, given):
    params = step.params
    names = {"window_dimensions": 1, "window_strides": 1, "padding": (0, 0), "base_dilation": 1}
    for aval in step.ins:
        for axis in varying(aval):
            for name, plain in {**names, "window_dilation": 1}.items():
                if params.get(name) is not None and params[name][axis] != plain:
                    raise Unpadded("it slides a window along an axis whose size varies")
    return given


def _pad(run, step, given):
    axes = [i for i, widths in enumerate(step.params["padding_config"]) if any(widths)]
    step.refuse_along(axes, "pads")
    return given


def _slice(run, step, given):
    params, aval = step.params, step.ins[0]
    strides = params["strides"] or (1,) * len(aval.shape)
    for axis in varying(aval):
        whole = (0, aval.shape[axis], 1)
        if (params["start_indices"][axis], params["limit_indices"][axis], strides[axis]) != whole:
            raise Unpadded("it takes a part along an axis whose size varies")
    return given


def _whole_slices(sizes):
    def rule(run, step, given):
        for axis, size in enumerate(sizes(step)):
            if varies(step.ins[0].shape[axis]) and size != step.ins[0].shape[axis]:
                raise Unpadded("it takes a part along an axis whose size varies")
        return given

    return rule


def _not_along(name, what):
    def rule(run, step, given):
        axes = step.params[name]
        for aval in step.ins:
            step.refuse_along([axes] if isinstance(axes, int) else axes, what, aval)
        return given

    return rule


def _top(run, step, given):
    step.refuse_along([step.params.get("axis", -1)], "sorts")
    return given


def _gather(run, step, given):
    numbers, sizes = step.params["dimension_numbers"], step.params["slice_sizes"]
    aval = step.ins[0]
    for axis in varying(aval):
        if axis not in numbers.operand_batching_dims and (
            sizes[axis] != aval.shape[axis] or axis in numbers.start_index_map
        ):
            raise Unpadded("it picks by an index along an axis whose size varies")
    step.params = {**step.params, "indices_are_sorted": False, "unique_indices": False}
    return given


def _scatter(neutral=None):
    def rule(run, step, given):
        numbers, (operand, _, updates) = step.params["dimension_numbers"], step.ins
        for axis in varying(operand):
            if axis in numbers.inserted_window_dims or (
                axis in numbers.scatter_dims_to_operand_dims
                and axis not in numbers.operand_batching_dims
            ):
                raise Unpadded("it writes by an index along an axis whose size varies")
        windows = [i for i in range(operand.ndim) if i not in numbers.inserted_window_dims]
        windows = [i for i in windows if i not in numbers.operand_batching_dims]
        for axis, place in zip(numbers.update_window_dims, windows, strict=True):
            if updates.shape[axis] != operand.shape[place] and varies(updates.shape[axis]):
                raise Unpadded("it writes a part along an axis whose size varies")
        batched = _batched(numbers, step.ins)
        axes = [i for i in varying(updates) if i not in (*numbers.update_window_dims, *batched)]
        if axes and neutral is None:
            raise Unpadded("it writes as often as the size that varies says")
        step.params = {**step.params, "indices_are_sorted": False, "unique_indices": False}
        filled = run.filled(step, 2, given[2], axes, neutral and neutral(given[2].dtype))
        return [given[0], given[1], filled]

    return rule


def _batched(numbers, ins):
    """The axes of the updates that go with axes of the operand."""
    _, indices, updates = ins
    rest = [i for i in range(updates.ndim) if i not in numbers.update_window_dims]
    return [rest[i] for i in numbers.scatter_indices_batching_dims]


def _random(run, step, given):
    if varying(step.outs[0]) != [0]:
        raise Unpadded("it draws random numbers of a shape that varies not only at its first axis")
    step.count(0)
    return given


_CALLS = {
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat",
    "remat2", "checkpoint",
}  # fmt: skip
_BY_ELEMENT = """
    abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e
    bitcast_convert_type broadcast_in_dim cbrt ceil clamp clz complex conj convert_element_type copy
    copy_p cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt igamma igamma_grad_a
    igammac imag integer_pow is_finite le lgamma log log1p logistic lt max min mul ne neg
    nextafter not optimization_barrier or polygamma population_count pow real reduce_precision regularized_incomplete_beta
    rem round rsqrt select_n shift_left shift_right_arithmetic shift_right_logical sign sin sinh
    sqrt square stop_gradient sub tan tanh threefry2x32 transpose xor zeta
""".split()

RULES: dict[str, Any] = {
    **dict.fromkeys(_BY_ELEMENT, _as_it_is),
    "argmax": _place_of(_least),
    "argmin": _place_of(_greatest),
    "concatenate": _not_along("dimension", "joins"),
    "conv_general_dilated": _convolution,
    "cumlogsumexp": _running(_least),
    "cummax": _running(_least),
    "cummin": _running(_greatest),
    "cumprod": _running(_constant(1)),
    "cumsum": _running(_constant(0)),
    "dot_general": _product,
    "dynamic_slice": _whole_slices(lambda step: step.params["slice_sizes"]),
    "dynamic_update_slice": _whole_slices(lambda step: step.ins[1].shape),
    "gather": _gather,
    "iota": _iota,
    "pad": _pad,
    "random_bits": _random,
    "reduce_and": _reduction(_constant(True)),
    "reduce_max": _reduction(_least),
    "reduce_min": _reduction(_greatest),
    "reduce_or": _reduction(_constant(False)),
    "reduce_prod": _reduction(_constant(1)),
    "reduce_sum": _reduction(_constant(0)),
    **dict.fromkeys(
        ("reduce_window", "reduce_window_max", "reduce_window_min", "reduce_window_sum",
         "select_and_gather_add", "select_and_scatter_add"),
        _windows,
    ),
    "reshape": _reshape,
    "rev": _not_along("dimensions", "turns round"),
    "scatter": _scatter(),
    **dict.fromkeys(("scatter-add", "scatter_add"), _scatter(_constant(0))),
    "slice": _slice,
    "sort": _not_along("dimension", "sorts"),
    "split": _not_along("axis", "splits"),
    "squeeze": _as_it_is,
    "stack": _as_it_is,
    "top_k": _top,
}  # fmt: skip
