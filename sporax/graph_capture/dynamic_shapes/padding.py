"""A program for unknown sizes, run at larger ones: what is in the padding changes nothing.

The program is a jaxpr whose shapes have symbols in them. It is run with arrays of larger sizes, and
is told the true ones. What holds throughout: along an axis of size n, the first n elements are what
the program gives for the true n, and what follows is anything. Most operations keep that by
themselves, since they work along other axes or element by element. One that reduces along such an
axis gets the padding replaced by what changes nothing (0 for a sum). Where an operation does
neither, or there is no rule for it, `Unpadded` is raised.

An axis that others were merged into (a batch and a length, flattened) has padding in between. So
each axis has a layout: its factors, numbers and symbols, the last one running fastest. It is None
where all elements along the axis are the same, so that any order of the factors will do.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax.core.jax_internals import Literal
from sporax.graph_capture.dynamic_shapes.padding_rules import RULES
from sporax.graph_capture.dynamic_shapes.symbolic_dims import (
    Step,
    Unpadded,
    layouts_of,
    size_at,
    varies,
    varying,
)

_CALLS = {
    "jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat",
    "remat2", "checkpoint",
}  # fmt: skip


class Padded:
    """One run of a program. `true`: the sizes of the symbols, as arrays; `room`: at which sizes it
    runs, as ints."""

    def __init__(self, true, room):
        self.true, self.room = true, room

    def run(self, jaxpr, constants, arrays, layouts=None):
        """(the results, their layouts) of a jaxpr for arrays of the larger sizes."""
        if layouts is None:
            layouts = [layouts_of(v.aval) for v in jaxpr.invars]
        known = dict(zip(jaxpr.invars, zip(arrays, layouts, strict=True), strict=True))
        for variable, array in zip(jaxpr.constvars, constants, strict=True):
            known[variable] = array, layouts_of(variable.aval)

        def find(variable):
            is_literal = isinstance(variable, Literal)
            return (variable.val, layouts_of(variable.aval)) if is_literal else known[variable]

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
        params, found = step.params, [layouts_of(a) for a in outs]
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
