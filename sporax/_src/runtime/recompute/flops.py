"""Floating-point operations of jaxprs, counted from their equations."""

import functools
import math

import jax
import numpy as np

from sporax._src.core.jax_internals import dce_jaxpr, jaxprs_in
from sporax._src.runtime.xla_kernels.recurrence import SCANNED


def product(equation):
    """FLOPs of a `dot_general`: a multiplication and an addition per term."""
    (contracted, _), _ = equation.params["dimension_numbers"]
    left = equation.invars[0].aval.shape
    return 2 * equation.outvars[0].aval.size * math.prod(left[i] for i in contracted)


def convolution(equation):
    """FLOPs of a `conv_general_dilated`, including padding, as papers count them."""
    params, filters = equation.params, equation.invars[1].aval.shape
    outs, features, *window = (filters[i] for i in params["dimension_numbers"].rhs_spec)
    if math.prod(params["lhs_dilation"]) == 1:
        return 2 * equation.outvars[0].aval.size * features * math.prod(window)
    # the zeros between input elements are not counted
    groups = params["feature_group_count"]
    return 2 * equation.invars[0].aval.size * outs // groups * math.prod(window)


def convolution_without_padding(equation):
    """FLOPs of a `conv_general_dilated` without products with padding or with the zeros between
    input elements, which a kernel leaves out."""
    params, numbers = equation.params, equation.params["dimension_numbers"]
    inputs, filters, outs = (v.aval.shape for v in (*equation.invars, *equation.outvars))
    batch, features, *result_axes = numbers.out_spec
    products = 2 * outs[batch] * outs[features] * filters[numbers.rhs_spec[1]]
    axes = zip(numbers.lhs_spec[2:], numbers.rhs_spec[2:], result_axes, strict=True)
    for k, (axis, tap, result) in enumerate(axes):
        spread = params["lhs_dilation"][k]
        starts = np.arange(outs[result])[:, None] * params["window_strides"][k]
        taps = np.arange(filters[tap]) * params["rhs_dilation"][k]
        places = starts + taps - params["padding"][k][0]
        inside = (places >= 0) & (places <= (inputs[axis] - 1) * spread)
        products *= int(np.count_nonzero(inside & (places % spread == 0)))
    return products


MULTIPLICATIONS = {"dot_general": product, "conv_general_dilated": convolution}


def _results(equation):
    return sum(v.aval.size for v in equation.outvars)


def _reduced(equation):
    return max(equation.invars[0].aval.size - equation.outvars[0].aval.size, 0)


def _window(equation):
    return equation.outvars[0].aval.size * (math.prod(equation.params["window_dimensions"]) - 1)


def _cumulative(equation):
    return equation.outvars[0].aval.size


# one per element of the result, also for exp, tanh etc.
_ELEMENTWISE = [
    "abs", "acos", "acosh", "add", "add_any", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",
    "ceil", "clamp", "cos", "cosh", "digamma", "div", "erf", "erf_inv", "erfc", "exp", "exp2",
    "expm1", "floor", "igamma", "igammac", "integer_pow", "lgamma", "log", "log1p", "log2",
    "logistic", "max", "min", "mul", "neg", "nextafter", "pow", "rem", "round", "rsqrt", "sign",
    "sin", "sinh", "sqrt", "square", "sub", "tan", "tanh", "zeta",
]  # fmt: skip
FORMULAS = MULTIPLICATIONS | dict.fromkeys(_ELEMENTWISE, _results)
FORMULAS |= {"one_minus_square": lambda equation: 3 * _results(equation)}
FORMULAS |= {"polynomial": lambda equation: 2 * (len(equation.invars) - 2) * _results(equation)}
FORMULAS |= dict.fromkeys(("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"), _reduced)
FORMULAS |= dict.fromkeys(("reduce_window_sum", "reduce_window_max", "reduce_window_min"), _window)
FORMULAS |= dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"), _cumulative)
FORMULAS |= {"select_and_scatter_add": lambda equation: equation.invars[0].aval.size}
FORMULAS |= {"scatter-add": lambda equation: equation.invars[2].aval.size}
WITHOUT_PADDING = FORMULAS | {"conv_general_dilated": convolution_without_padding}


def count(jaxpr, formulas=FORMULAS):
    """Count the floating and complex operations that the results of a jaxpr need: the costliest
    branch of a condition, one iteration of a loop of unknown length. `formulas`: `FORMULAS` or
    `WITHOUT_PADDING`."""
    needed, _ = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    return sum(of_equation(equation, formulas) for equation in needed.eqns)


def of_equation(equation, formulas=FORMULAS):
    name = equation.primitive.name
    formula = formulas.get(name)
    if formula is not None:
        is_float = any(_is_inexact(v.aval) for v in (*equation.invars, *equation.outvars))
        return formula(equation) if is_float else 0
    if name in SCANNED:
        return count(_written_out(equation), formulas)
    inner = [count(jaxpr, formulas) for jaxpr in jaxprs_in(equation.params)]
    if name == "cond":
        return max(inner)
    return sum(inner) * equation.params.get("length", 1)


def _is_inexact(aval):
    return jax.numpy.issubdtype(getattr(aval, "dtype", bool), jax.numpy.inexact)


def _written_out(equation):
    """Return the jaxpr of a sporax primitive in terms of JAX primitives."""
    run = functools.partial(SCANNED[equation.primitive.name], **equation.params)
    specs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in equation.invars]
    return jax.make_jaxpr(run)(*specs).jaxpr
