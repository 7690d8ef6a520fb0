"""Elementwise primitives: plain functions of the operands, or rules if there are parameters."""

import jax.numpy as jnp
import numpy as np

from sporax._src.runtime.numpy_interpreter.special import erf, erf_inv, erfc


def _divide_integers(x, y):
    """Divide, truncating toward zero; division by zero returns all bits set."""
    quotient = np.floor_divide(x, y)
    if x.dtype.kind == "i":
        inexact = (x - quotient * y != 0) & ((x < 0) != (y < 0))
        quotient = quotient + inexact.astype(x.dtype)
    return np.where(y == 0, np.array(-1).astype(x.dtype), quotient)


def _remainder_of_integers(x, y):
    return np.where(y == 0, x, np.fmod(x, y))


def _power(x, y):
    return np.power(x, y if y.dtype == x.dtype else y.astype(x.dtype))


def _polynomial(x, *coefficients):
    """Evaluate by Horner's scheme; the coefficient of the highest power comes last."""
    result = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        result = result * x + coefficient
    return result


def _select(which, *cases):
    if which.dtype == bool:
        return np.where(which, cases[1], cases[0])
    return np.choose(which, cases, mode="clip")


def _total(ufunc):
    """Return a comparison in the total order, in which -0 comes before 0, and NaN last."""

    def rank(x):
        whole = x.view(np.dtype(f"i{x.dtype.itemsize}"))
        return np.where(whole < 0, whole ^ np.iinfo(whole.dtype).max, whole)

    return lambda x, y: ufunc(rank(x), rank(y))


def _shift_right_logical(x, y):
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return np.right_shift(x.view(unsigned), y.view(unsigned)).view(x.dtype)


def _population_count(x):
    return np.bitwise_count(x.view(np.dtype(f"u{x.dtype.itemsize}"))).astype(x.dtype)


def _sign(x):
    """Return the sign; for -0 it is -0."""
    return np.copysign(np.sign(x), x) if x.dtype.kind == "f" else np.sign(x)


ELEMENTWISE = {
    "abs": np.absolute,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "add": np.add,
    "add_any": np.add,
    "and": np.bitwise_and,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "clamp": lambda low, x, high: np.minimum(np.maximum(low, x), high),
    "cos": np.cos,
    "cosh": np.cosh,
    "div": np.true_divide,
    "eq": np.equal,
    "eq_to": _total(np.equal),
    "erf": erf,
    "erf_inv": erf_inv,
    "erfc": erfc,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "floor": np.floor,
    "ge": np.greater_equal,
    "gt": np.greater,
    "is_finite": np.isfinite,
    "le": np.less_equal,
    "le_to": _total(np.less_equal),
    "log": np.log,
    "log1p": np.log1p,
    "log2": np.log2,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "lt": np.less,
    "lt_to": _total(np.less),
    "max": np.maximum,
    "min": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "neg": np.negative,
    "nextafter": np.nextafter,
    "not": np.invert,
    "one_minus_square": lambda x: (1 + x) * (1 - x),
    "or": np.bitwise_or,
    "polynomial": _polynomial,
    "population_count": _population_count,
    "pow": _power,
    "rem": np.fmod,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "select_n": _select,
    "shift_left": np.left_shift,
    "shift_right_arithmetic": np.right_shift,
    "shift_right_logical": _shift_right_logical,
    "sign": _sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "square": np.square,
    "sub": np.subtract,
    "tan": np.tan,
    "tanh": np.tanh,
    "xor": np.bitwise_xor,
}
ELEMENTWISE_INTEGER = {
    "div": _divide_integers,
    "eq_to": np.equal,
    "le_to": np.less_equal,
    "lt_to": np.less,
    "rem": _remainder_of_integers,
}


def _integer_power(parameters, x):
    exponent = abs(parameters["y"])
    if exponent == 2:
        result = np.square(x)
    else:
        result, square = None, x
        while exponent:
            if exponent & 1:
                result = square if result is None else result * square
            exponent >>= 1
            if exponent:
                square = square * square
        result = np.ones_like(x) if result is None else result
    return result if parameters["y"] >= 0 else 1 / result


def _convert(parameters, x):
    """Convert the dtype; floats beyond an integer's range become its limits, NaN becomes 0."""
    dtype = np.dtype(parameters["new_dtype"])
    if dtype.kind not in "iu" or x.dtype.kind in "iub":
        return x.astype(dtype)
    if x.dtype.itemsize < 4:
        x = x.astype(np.float32)
    limits = np.iinfo(dtype)
    low, high = x <= float(limits.min), x >= float(limits.max)
    outside = low | high | np.isnan(x)
    if not outside.any():
        return x.astype(dtype)
    result = np.asarray(np.where(outside, 0, x)).astype(dtype)
    result = np.where(low, np.array(limits.min, dtype), result)
    return np.where(high, np.array(limits.max, dtype), result)


def _round(parameters, x):
    if parameters["rounding_method"].value == 1:
        return np.rint(x)
    whole = np.trunc(x)
    return whole + np.where(np.abs(x - whole) >= 0.5, np.copysign(1, x), 0).astype(x.dtype)


def _reduce_precision(parameters, x):
    short = SHORT_FLOATS.get((parameters["exponent_bits"], parameters["mantissa_bits"]))
    if short is None:  # more bits than the dtype has, see `jax_internals.barrier`
        return x
    return x if short.itemsize >= x.dtype.itemsize else x.astype(short).astype(x.dtype)


def keeps_all_bits(bits, dtype):
    """Return True if numbers of (exponent, mantissa) bits represent all of a dtype."""
    info = jnp.finfo(dtype)
    return bits[0] >= info.nexp and bits[1] >= info.nmant


SHORT_FLOATS = {
    (5, 10): np.dtype(np.float16),
    (8, 7): np.dtype(jnp.bfloat16),
    (8, 23): np.dtype(np.float32),
    (11, 52): np.dtype(np.float64),
}

ELEMENTWISE_RULES = {
    "convert_element_type": _convert,
    "integer_pow": _integer_power,
    "reduce_precision": _reduce_precision,
    "round": _round,
}
