"""Expressions on NumPy, operation by operation, with denormal numbers flushed to zero."""

import functools

import numpy as np

F = np.float32


def flushed(x):
    """Return an array with denormal numbers replaced by zeros of the same sign."""
    x = np.asarray(x)
    if x.dtype.kind != "f" or x.dtype == np.float16:  # whose denormal numbers float32 holds
        return x
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, np.copysign(x.dtype.type(0), x), x)


def _number(x, n):
    return flushed(x.dtype.type(n))


def _to_int(x):
    return np.where(np.abs(x) < 1e9, x, 0).astype(np.int32)


def _half(function):
    return lambda x, y: function(x.astype(F), y.astype(F)).astype(np.float16)


def _sum(x):
    return x.sum(1, keepdims=True, dtype=x.dtype)


def _extreme(function):
    return lambda x: function.reduce(x, axis=1, keepdims=True)


def _power(x, e):
    if e == 0.5:  # as PyTorch: of -inf NaN, where C has inf
        return np.sqrt(x)
    return 1 / np.sqrt(x) if e == -0.5 else np.power(x, x.dtype.type(e))


def _sign(x):
    return np.where(np.isnan(x), 0, np.copysign(np.sign(x), x)).astype(x.dtype)


OPERATIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "add_number": lambda x, n: x + _number(x, n), "sub_number": lambda x, n: x - _number(x, n),
    "mul_number": lambda x, n: x * _number(x, n), "div_number": lambda x, n: x / _number(x, n),
    "number_sub": lambda x, n: _number(x, n) - x, "number_div": lambda x, n: _number(x, n) / x,
    "mul_mask": lambda m, x: m.astype(x.dtype) * x, "add_mask": lambda m, x: m.astype(x.dtype) + x,
    "div_mask": lambda m, x: x / m.astype(x.dtype), "neg": np.negative, "abs": np.abs,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "square": np.square, "pow": _power,
    "maximum": np.maximum, "minimum": np.minimum, "where": np.where,
    "where_number": lambda m, x, n: np.where(m, x, x.dtype.type(n)), "floor": np.floor,
    "sign": _sign, "from_bool": lambda m: m.astype(F), "from_int": lambda k: k.astype(F),
    "from_half": lambda h: h.astype(F), "from_double": lambda d: d.astype(F),
    "reciprocal": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x), "sum": _sum,
    "max": _extreme(np.maximum), "min": _extreme(np.minimum),
    "mean": lambda x: _sum(x) / x.dtype.type(x.shape[1]),
    "sum_of_product": lambda x, y: _sum(x * y),
    "prod": lambda x: x.prod(1, keepdims=True, dtype=x.dtype),
    "greater": np.greater, "less_equal": np.less_equal, "equal": np.equal,
    "not_equal": np.not_equal, "positive": lambda x: x > 0, "and": np.logical_and,
    "or": np.logical_or, "not": np.logical_not, "isnan": np.isnan, "isfinite": np.isfinite,
    "to_bool": lambda x: x.astype(bool), "any": lambda m: m.any(1, keepdims=True),
    "greater_int": np.greater, "to_int": _to_int, "add_int": np.add, "mul_int": np.multiply,
    "bool_to_int": lambda m: m.astype(np.int32),
    "argmax": lambda x: x.argmax(1, keepdims=True).astype(np.int32),
    "sum_int": lambda k: k.sum(1, keepdims=True, dtype=np.int32),
    "mul_mask_int": lambda m, k: m * k, "neg_int": np.negative,
    "count": lambda m: m.sum(1, keepdims=True, dtype=np.int32),
    "to_half": lambda x: x.astype(np.float16), "add_half": _half(np.add),
    "mul_half": _half(np.multiply), "to_double": lambda x: x.astype(np.float64),
    "add_double": np.add, "mul_double": np.multiply, "div_double": np.divide,
}  # fmt: skip
# what reads the bits of its operand and not its value
_MOVES = {"where", "where_number"}
# what IEEE 754 rounds to the nearest number, and what a library computes to some units
_NEAREST = {
    "add", "sub", "mul", "div", "add_number", "sub_number", "mul_number", "div_number",
    "number_sub", "number_div", "add_mask", "div_mask", "sqrt", "square", "reciprocal",
    "add_double", "mul_double", "div_double",
}  # fmt: skip
_TO_SOME_UNITS = {"exp", "log", "pow", "rsqrt"}
_EXTREMES = {"maximum", "minimum", "max", "min"}
_SUMS = {"sum", "mean", "sum_of_product"}
_REDUCTIONS = _SUMS | {"prod"}
_ZEROS = _EXTREMES | _SUMS  # whose zeros may have either sign
_QUOTIENTS = {"div", "div_double"}
_ADDED = {"add", "sub", "add_number", "sub_number", "number_sub", "add_mask"}
_JOINED = {"mul", "mul_half", "mul_number", "mul_mask", "div_number", "square", "exp"}
_UNITS = 4


def value(expression, inputs, noise=None):
    """Evaluate an expression. `noise`: a random generator, to vary the result as other compilers
    may.

    Rounded numbers are moved by a few units in the last place, reductions are computed in another
    order, and a quotient by a broadcast array is a product with its reciprocal (see
    docs/differences.md). With an odd seed, a product that is an addend is not rounded before the
    addition, a denormal number that was converted or is compared with zero is not flushed, and a
    zero sum or extreme is negative; with an even seed it is positive. With a quarter of the seeds
    some results have few digits, so that two may be equal.
    """
    if expression.kind in "ne":
        return expression.name
    if not expression.operands:
        return inputs[expression.name]
    name, function = expression.name, OPERATIONS[expression.name]
    is_odd = noise is not None and _seed(noise) % 2
    find = _joined if is_odd and name in _ADDED | {"add_half"} else value
    operands = [find(operand, inputs, noise) for operand in expression.operands]
    if name in _MOVES:
        return function(*operands)
    flush = _kept if is_odd and name == "to_bool" else flushed
    operands = [flush(x) if isinstance(x, np.ndarray) else x for x in operands]
    if noise is not None and name in _REDUCTIONS:
        function = functools.partial(_in_turn, name, noise)
    if is_odd and name == "add_mask" and _is_never(expression.operands[0]):
        return operands[1]
    if noise is not None and name in _QUOTIENTS and operands[1].shape != operands[0].shape:
        function = _times_reciprocal
    result = function(*operands)
    if name in _ADDED:
        result = result.astype(F)
    if noise is not None and name in _ZEROS:
        result = np.where(result == 0, np.copysign(result, -1 if is_odd else 1), result)
    if noise is not None and result.dtype.kind == "f":
        result = _moved(name, function, operands, result, noise)
    return (_kept if is_odd and name == "from_double" else flushed)(result)


def _is_never(expression):
    """Return True if a compiler detects that a mask is always False, so that nothing is added."""
    return expression.name == "greater_int" and len(set(expression.operands)) == 1


def _times_reciprocal(x, y):
    return x * flushed(1 / y)


def _kept(x):
    """Return an array with denormal numbers replaced by the smallest normal numbers."""
    small = np.where(x == 0, x, np.copysign(np.finfo(x.dtype).tiny, x))
    return np.where(np.abs(x) < np.finfo(x.dtype).tiny, small, x).astype(x.dtype)


def _joined(expression, inputs, noise):
    """Return the value of an operand of a sum, in float64 if it may be computed by an FMA."""
    if expression.name not in _JOINED or not expression.operands:
        return value(expression, inputs, noise)
    operands = [value(operand, inputs, noise) for operand in expression.operands]
    wide = [np.asarray(flushed(x), np.float64) for x in operands]
    if expression.name == "exp":  # which XLA computes of the largest exponent that it has
        return np.exp(np.minimum(wide[0], 89))
    is_half = expression.name == "mul_half"  # some processors have an FMA of halves, too
    return np.multiply(*wide) if is_half else OPERATIONS[expression.name](*wide)


def _in_turn(name, noise, *operands):
    """Compute a sum or product along rows in another order: random, or from the smallest or
    largest."""
    rows = functools.reduce(np.multiply, operands)
    mixed = noise.permutation(rows.size).reshape(rows.shape)
    orders = mixed, rows, -rows, np.abs(rows), -np.abs(rows)
    order = np.argsort(orders[_seed(noise) % len(orders)], axis=1)
    combine = np.multiply if name == "prod" else np.add
    first, *others = np.split(np.take_along_axis(rows, order, 1), rows.shape[1], 1)
    total = functools.reduce(lambda x, y: flushed(combine(x, y)), others, flushed(first))
    return total / total.dtype.type(rows.shape[1]) if name == "mean" else total


def _seed(noise):
    return noise.bit_generator.seed_seq.entropy


def _moved(name, function, operands, result, noise):
    """Perturb a rounded result by some units in the last place; a sum without significant digits
    may be the sum of a part of the addends, or any small number."""
    if name not in _NEAREST | _TO_SOME_UNITS | _REDUCTIONS:
        return result
    eps = np.finfo(result.dtype).eps
    units = _UNITS * (4 if name in _TO_SOME_UNITS else 1 if name in _NEAREST else 2)
    units *= noise.random() ** 3  # often one or none
    if _seed(noise) % 4:
        change = result * eps * noise.uniform(-units, units, result.shape)
        moved = np.where(result == 0, result, result + change).astype(result.dtype)
    else:
        moved = _with_few_digits(result) if noise.random() < 0.5 else result
    if name in _SUMS:
        rows = functools.reduce(np.multiply, operands)
        size = np.abs(rows).sum(1, keepdims=True) * eps * _UNITS
        sign, power = noise.choice([-1, 0, 1], size.shape), noise.random(size.shape)
        any_size = sign * np.fmax(size, 1) ** power
        of_part = np.where(noise.random(rows.shape) < 0.5, rows, 0).sum(1, keepdims=True)
        other = any_size if _seed(noise) % 2 else of_part
        return np.where(size > np.abs(result), other, moved).astype(result.dtype)
    if name not in _NEAREST or result.dtype == np.float64:
        return moved
    wide = [x.astype(np.float64) if isinstance(x, np.ndarray) and x.dtype == F else x
            for x in operands]  # fmt: skip
    return np.where(function(*wide) == result, result, moved)


def _with_few_digits(x):
    """Round numbers to 20 bits, so that two close ones are equal."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(fraction * 2**20) / 2**20, exponent).astype(x.dtype)
