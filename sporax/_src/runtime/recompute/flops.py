"""Floating-point operations of jaxprs, counted from their equations."""

import functools
import math

import jax

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
_ALL = MULTIPLICATIONS | dict.fromkeys(_ELEMENTWISE, _results)
_ALL |= {"one_minus_square": lambda equation: 3 * _results(equation)}
_ALL |= {"polynomial": lambda equation: 2 * (len(equation.invars) - 2) * _results(equation)}
_ALL |= dict.fromkeys(("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"), _reduced)
_ALL |= dict.fromkeys(("reduce_window_sum", "reduce_window_max", "reduce_window_min"), _window)
_ALL |= dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"), _cumulative)
_ALL |= {"select_and_scatter_add": lambda equation: equation.invars[0].aval.size}
_ALL |= {"scatter-add": lambda equation: equation.invars[2].aval.size}


def count(jaxpr):
    """Count the floating and complex operations that the results of a jaxpr need: the costliest
    branch of a condition, one iteration of a loop of unknown length."""
    needed, _ = dce_jaxpr(jaxpr, [True] * len(jaxpr.outvars))
    return sum(map(of_equation, needed.eqns))


def of_equation(equation):
    name = equation.primitive.name
    formula = _ALL.get(name)
    if formula is not None:
        is_float = any(_is_inexact(v.aval) for v in (*equation.invars, *equation.outvars))
        return formula(equation) if is_float else 0
    if name in SCANNED:
        return count(_written_out(equation))
    inner = [count(jaxpr) for jaxpr in jaxprs_in(equation.params)]
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
