"""Sensitivity of a plan's results to rounding: the plan with every rounded number perturbed by a
random fraction of the distance to its neighbours (Monte Carlo arithmetic, D. S. Parker, 1997).

An exact number (a sum of small integers, for example) is not perturbed, since no rounding takes
place. Exactness is tested by computing the number again in a wider type.
"""

import functools
import math
from typing import Any

import numpy as np

from sporax._src.core.jax_internals import equations
from sporax._src.runtime.numpy_interpreter import comparison
from sporax._src.runtime.numpy_interpreter.comparison import CHUNK, Distance, distance
from sporax._src.runtime.numpy_interpreter.control import CONTROL
from sporax._src.runtime.numpy_interpreter.plans import MOVES, Unsupported, numpy_function
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import SizingBuilder

# Steps whose results are some of their operands' elements, or follow from comparisons
_EXACT = {
    "abs", "and", "argmax", "argmin", "bitcast_convert_type", "broadcast_in_dim", "ceil", "clamp",
    "concatenate", "convert_element_type", "cummax", "cummin", "dynamic_update_slice", "eq",
    "eq_to", "floor", "gather", "ge", "gt", "iota", "is_finite", "le", "le_to", "lt", "lt_to",
    "max", "min", "ne", "neg", "nextafter", "not", "or", "pad", "population_count",
    "random_bits", "random_fold_in", "random_seed", "random_split", "random_unwrap",
    "random_wrap", "reduce", "reduce_and", "reduce_max", "reduce_min", "reduce_or",
    "reduce_precision", "reduce_xor", "rem", "round", "scatter", "scatter-max", "scatter-min",
    "select_n", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sort",
    "split", "stack", "threefry2x32", "tile", "top_k", "unstack", "xor", *MOVES,
}  # fmt: skip
# Sums, whose terms are perturbed, too
_SUMS = {
    "conv_general_dilated", "cumlogsumexp", "cumprod", "cumsum", "dot_general", "reduce_prod",
    "reduce_sum", "scatter-add", "scatter-mul", "scatter-sub", "triangular_solve", "cholesky",
}  # fmt: skip
_ULPS = 2  # maximum perturbation of a result; twice that after a function such as exp
# Terms of one size round the same way when they are added one by one: half a unit in the last place
# of half the sum each. The comparison allows eight times the deviation measured here.
_TERMS_PER_ULP = 32
_BASIC = {"add", "add_any", "div", "integer_pow", "mul", "sqrt", "square", "sub"}
# Steps that can be computed in a wider type, and types that have one
_WIDENED = _BASIC | _SUMS - {"cholesky", "conv_general_dilated", "triangular_solve"}
_WIDER: dict[Any, Any] = {np.dtype(np.float32): np.dtype(np.float64)}
if np.dtype(np.longdouble).itemsize > 8:
    _WIDER[np.dtype(np.float64)] = np.dtype(np.longdouble)


class Noise:
    """Random factors between -1 and 1: parts of one table, since drawing them for each array would
    take longer than most steps."""

    SIZE = 2**18

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.table = self.random.random(self.SIZE, np.float32) * 2 - 1

    def added(self, x, scale):
        """Return x (1 + scale * factors), flat."""
        x = x.reshape(-1)
        result = np.empty(x.size, np.result_type(x.dtype, np.float32))
        starts = range(0, x.size, CHUNK)
        offsets = self.random.integers(self.SIZE - min(CHUNK, x.size) + 1, size=len(starts))
        for start, offset in zip(starts, offsets.tolist(), strict=True):
            chunk, out = x[start : start + CHUNK], result[start : start + CHUNK]
            np.multiply(self.table[offset : offset + chunk.size], scale, out=out)
            out *= chunk
            out += chunk
        return result


class PerturbingBuilder(SizingBuilder):
    """Build a plan whose steps perturb what they round by a `Noise`."""

    def __init__(self, noise):
        super().__init__()
        self.noise = noise

    def function(self, name, parameters, operands, results):
        """Return a step's function, which perturbs its results."""
        if name in CONTROL and name != "reduce":
            try:
                return CONTROL[name](self.plan, parameters)
            except Unsupported as missing:
                return missing
        function = numpy_function(name, parameters, operands, results)
        is_rounded = any(_is_floating(a.dtype) for a in results)
        if name in _EXACT or not is_rounded or isinstance(function, Unsupported):
            return function
        ulps = _ULPS if name in _BASIC else 2 * _ULPS
        if name in _SUMS:
            ulps += _terms(name, parameters, operands, results[0]) / _TERMS_PER_ULP
        floats = {a.dtype for a in operands if _is_floating(a.dtype)}
        has_wider = name in _WIDENED and floats <= _WIDER.keys()
        return functools.partial(self._moved, function, ulps, name in _SUMS, has_wider)

    def plan(self, closed):
        """Return the plan of a closed jaxpr inside another."""
        inner = PerturbingBuilder(self.noise)
        inputs = [inner.input(aval) for aval in closed.in_avals]
        outs = inner.add(closed, inputs)
        return inner.finish(inputs, outs, [aval.shape for aval in closed.out_avals])

    def _moved(self, function, ulps, is_sum, has_wider, *operands):
        if is_sum:
            are_whole = [_is_whole(x) for x in operands]
            has_wider = has_wider and all(are_whole)  # else the sum is rounded, if it is not 0
            operands = [
                x if is_whole else self._nudged(x, _ULPS)
                for x, is_whole in zip(operands, are_whole, strict=True)
            ]
        results = function(*operands)
        is_one = not isinstance(results, (tuple, list))
        wide = _widened(function, operands) if has_wider else None
        moved = [
            self._nudged(x, ulps, None if wide is None else x == wide[i])
            for i, x in enumerate([results] if is_one else results)
        ]
        return moved[0] if is_one else moved

    def _nudged(self, x, ulps, is_exact=None):
        """Return an array with its elements perturbed by up to `ulps` units in the last place,
        except exact ones."""
        x = np.asarray(x)
        if not _is_floating(x.dtype):
            return x
        eps = float(np.finfo(x.dtype).eps if x.dtype.kind in "fc" else 2**-8)
        moved = self.noise.added(x, np.float32(ulps * eps)).reshape(x.shape)
        if is_exact is not None:
            np.copyto(moved, x, where=is_exact)
        return moved.astype(x.dtype, copy=False)


def _terms(name, parameters, operands, result):
    """Return the number of terms of an element of a sum."""
    x = operands[0]
    if name == "dot_general":
        (over, _), _ = parameters["dimension_numbers"]
        return math.prod(x.shape[i] for i in over)
    if name == "conv_general_dilated":
        kernel, (of_outputs, *_) = operands[1], parameters["dimension_numbers"].rhs_spec
        return kernel.size / max(kernel.shape[of_outputs], 1)
    if name.startswith("scatter"):
        return operands[-1].size
    if name.startswith("cum"):
        return x.shape[parameters["axis"]]
    return x.size / max(result.size, 1) if name.startswith("reduce") else x.shape[-1]


def steps_of_sums(jaxprs):
    """Return the number of program steps for which the comparison allows the error of the longest
    sum in some jaxprs, if its terms round the same way: by a quarter of a unit in the last place
    each."""
    sums = (e for jaxpr in jaxprs for e in equations(jaxpr) if e.primitive.name in _SUMS)
    avals = ((e, [v.aval for v in e.invars], e.outvars[0].aval) for e in sums)
    terms = [_terms(e.primitive.name, e.params, taken, given) for e, taken, given in avals]
    return int((max(terms, default=0) / 4 / comparison.PER_STEP) ** 2)


def _is_floating(dtype):
    # bfloat16 has kind 'V' in NumPy; random keys have a dtype of JAX
    return isinstance(dtype, np.dtype) and dtype.kind in "fcV"


def _is_whole(x):
    """Return True if an array holds small integers, whose products and sums are exact."""
    x = np.asarray(x)
    return not _is_floating(x.dtype) or bool(((x == np.rint(x)) & (np.abs(x) < 2**8)).all())


def _widened(function, operands):
    """Return the results in a wider type."""
    operands = map(np.asarray, operands)
    results = function(*[x.astype(_WIDER.get(x.dtype, x.dtype)) for x in operands])
    return list(results) if isinstance(results, (tuple, list)) else [results]


def perturbed(build, runs):
    """Yield plans perturbed by different noises. `build`: (builder) -> the plan."""
    return (build(PerturbingBuilder(Noise(seed))) for seed in range(runs))


def deviations(plans, inputs, expected):
    """Yield after each of the perturbed plans, for each output, the largest `Distance` so far
    between the expected result and a perturbed one."""
    largest = [Distance(0.0, 0)] * len(expected)
    for plan in plans:
        distances = map(distance, expected, plan(*inputs))
        largest = [Distance(*map(max, *pair)) for pair in zip(largest, distances, strict=True)]  # type: ignore[reportArgumentType]  # an int from ints
        yield largest
