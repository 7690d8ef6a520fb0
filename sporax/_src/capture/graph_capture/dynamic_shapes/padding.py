"""`PaddedProgram`: a jaxpr with symbolic dimensions, run on padded arrays.

The program takes arrays of a bucket's sizes, and the true sizes. The invariant: along an axis of
true size n, the first n elements equal the unpadded program's, and the remaining ones are
arbitrary. Most operations preserve it, since they are elementwise or act along other axes. For a
reduction along such an axis, the padding is first replaced by the neutral element (0 for a sum).
`CannotPad` is raised for all other operations and those without a rule.

An axis that is a flattened product of axes (batch and length) has padding in between, so each axis
has a layout: its factors, ints and symbols, the last one varying fastest. It is None where all
elements along the axis are equal, so that any order of the factors is correct.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.capture.graph_capture.dynamic_shapes.padding_rules import RULES
from sporax._src.capture.graph_capture.dynamic_shapes.symbolic_dims import (
    CannotPad,
    Equation,
    dynamic_axes,
    is_dynamic,
    layouts_of,
    size_at,
)
from sporax._src.core.jax_internals import called, interpret
from sporax._src.diagnosis.rules import rejection


class PaddedProgram:
    """One run of a program. `true_sizes`: {symbol: size as an array}; `bucket`: {symbol: size of
    the padded arrays as an int}."""

    def __init__(self, true_sizes, bucket):
        self.true_sizes, self.bucket = true_sizes, bucket

    def run(self, jaxpr, constants, arrays, layouts=None):
        """Return (the results, their layouts) of a jaxpr for padded arrays."""
        if layouts is None:
            layouts = [layouts_of(v.aval) for v in jaxpr.invars]
        constants = [
            (array, layouts_of(v.aval)) for v, array in zip(jaxpr.constvars, constants, strict=True)
        ]
        inputs = zip(arrays, layouts, strict=True)
        outputs = interpret(jaxpr, constants, inputs, self._evaluate, _literal)
        return [array for array, _ in outputs], [layout for _, layout in outputs]

    def _evaluate(self, eqn, pairs):
        operands, layouts = [array for array, _ in pairs], [layouts for _, layouts in pairs]
        inner = called(eqn)
        if inner is None:
            return zip(*self._apply(eqn, operands, layouts), strict=True)
        return zip(*self.run(*inner, operands, layouts), strict=True)

    def _apply(self, eqn, operands, layouts):
        name = eqn.primitive.name
        out_avals = [v.aval for v in eqn.outvars]
        if name == "dim_as_value":
            value = size_at(eqn.params["dim"], self.true_sizes)
            return [jnp.asarray(value).astype(out_avals[0].dtype)], [()]
        params, out_layouts = eqn.params, [layouts_of(a) for a in out_avals]
        in_avals = [v.aval for v in eqn.invars]
        if any(map(dynamic_axes, [*in_avals, *out_avals])):
            rule = RULES.get(name)
            if rule is None:
                raise rejection("no-rule", name=name, error=CannotPad)
            described = Equation(params, in_avals, out_avals, layouts)
            operands = rule(self, described, operands)
            params, out_layouts = described.params, described.result_layouts()
        elif _mentions_sizes(params):
            raise rejection("contains-size-varies", name=name, error=CannotPad)
        params = {key: self._at_bucket(value) for key, value in params.items()}
        results = eqn.primitive.bind(*operands, **params)
        return (results if eqn.primitive.multiple_results else [results]), out_layouts

    def _at_bucket(self, value):
        if type(value) is tuple:
            return tuple(map(self._at_bucket, value))
        return size_at(value, self.bucket) if _is_size(value) else value

    def filled(self, eqn, i, array, axes, neutral):
        """Fill the padding of operand `i` along these axes with the neutral element."""
        aval = eqn.in_avals[i]
        for axis in axes:
            if is_dynamic(aval.shape[axis]):
                position = lax.broadcasted_iota(np.int32, array.shape, axis)
                inside = self._inside(position, eqn.layout(i, axis))
                array = jnp.where(inside, array, jnp.asarray(neutral, array.dtype))
        return array

    def _inside(self, position, layout):
        """Return a mask of the positions along an axis that are not padding."""
        inside, inner = True, 1
        for factor in reversed(layout):
            size = factor if isinstance(factor, int) else self.bucket[factor]
            if not isinstance(factor, int):
                true_size = jnp.asarray(self.true_sizes[factor], np.int32)
                inside = inside & (position // inner % size < true_size)
            inner *= size
        return inside


def _literal(atom):
    return atom.val, layouts_of(atom.aval)


def _is_size(value):
    return jax.export.is_symbolic_dim(value)


def _mentions_sizes(value):
    if isinstance(value, dict):
        return any(map(_mentions_sizes, value.values()))
    if isinstance(value, (tuple, list)):
        return any(map(_mentions_sizes, value))
    jaxpr = getattr(value, "jaxpr", value)
    if hasattr(jaxpr, "eqns"):
        variables = [v for eqn in jaxpr.eqns for v in (*eqn.invars, *eqn.outvars)]
        inside = [n for v in variables for n in getattr(v.aval, "shape", ())]
        return _mentions_sizes(inside) or any(_mentions_sizes(s.params) for s in jaxpr.eqns)
    return _is_size(value)
