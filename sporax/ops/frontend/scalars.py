"""Python's operators on numbers, bools and strings, as functions."""

import math

from sporax._src.diagnosis.rules import require
from sporax.ops.declare import composite


def _divisor(who, y):
    require(y != 0, "nonzero", who, y=y)
    return y


# name, parameters, formula, function, arguments and result of an example
_ROWS = [
    ("scalar_add", "x, y", "x + y", lambda x, y: x + y, "2, 3", "5"),
    ("scalar_sub", "x, y", "x - y", lambda x, y: x - y, "5, 2.5", "2.5"),
    ("scalar_mul", "x, y", "x * y", lambda x, y: x * y, "2, 3", "6"),
    ("scalar_div", "x, y", "x / y", lambda x, y: x / _divisor("scalar_div", y), "6, 4", "1.5"),
    ("scalar_floordiv", "x, y", "x // y", lambda x, y: x // _divisor("scalar_floordiv", y),
     "7, 2", "3"),
    ("scalar_mod", "x, y", "x % y", lambda x, y: x % _divisor("scalar_mod", y), "-7, 3", "2"),
    ("scalar_pow", "x, y", "x ** y", lambda x, y: x**y, "2, 3", "8"),
    ("scalar_log", "x", "math.log(x)", math.log, "1.0", "0.0"),
    ("scalar_uadd", "x", "+x", lambda x: +x, "3", "3"),
    ("scalar_usub", "x", "-x", lambda x: -x, "3", "-3"),
    ("scalar_max", "x, y", "max(x, y)", max, "2, 5", "5"),
    ("scalar_min", "x, y", "min(x, y)", min, "2, 5", "2"),
    ("scalar_eq", "x, y", "x == y", lambda x, y: x == y, "2, 2.0", "True"),
    ("scalar_ne", "x, y", "x != y", lambda x, y: x != y, "2, 3", "True"),
    ("scalar_gt", "x, y", "x > y", lambda x, y: x > y, "2, 1", "True"),
    ("scalar_ge", "x, y", "x >= y", lambda x, y: x >= y, "2, 2", "True"),
    ("scalar_lt", "x, y", "x < y", lambda x, y: x < y, "1, 2", "True"),
    ("scalar_le", "x, y", "x <= y", lambda x, y: x <= y, "3, 2", "False"),
    ("bool_and", "x, y", "x and y", lambda x, y: x and y, "True, False", "False"),
    ("bool_or", "x, y", "x or y", lambda x, y: x or y, "True, False", "True"),
    ("bool_not", "x", "not x", lambda x: not x, "True", "False"),
    ("bool_eq", "x, y", "x == y", lambda x, y: x == y, "True, True", "True"),
    ("string_eq", "x, y", "x == y", lambda x, y: x == y, "'a', 'b'", "False"),
    ("string_concat", "x, y", "x + y", lambda x, y: x + y, "'a', 'b'", "'ab'"),
    ("is_", "x, y", "x is y", lambda x, y: x is y, "None, None", "True"),
    ("is_not", "x, y", "x is not y", lambda x, y: x is not y, "1, None", "True"),
    ("augassign_add", "x, y", "x + y", lambda x, y: x + y, "7, 2", "9"),
    ("augassign_sub", "x, y", "x - y", lambda x, y: x - y, "7, 2", "5"),
    ("augassign_mul", "x, y", "x * y", lambda x, y: x * y, "7, 2", "14"),
    ("augassign_div", "x, y", "x / y", lambda x, y: x / y, "7, 2", "3.5"),
    ("augassign_floordiv", "x, y", "x // y", lambda x, y: x // y, "7, 2", "3"),
    ("augassign_mod", "x, y", "x % y", lambda x, y: x % y, "7, 2", "1"),
]  # fmt: skip


def _declare(name, parameters, formula, compute, arguments, shown):
    kind = name.partition("_")[0]
    operands = {"scalar": "numbers", "bool": "bools", "string": "strings"}.get(kind, "any objects")
    # a face passes its arguments by position, so `max`'s own parameter names do not matter
    function = (lambda x: compute(x)) if parameters == "x" else (lambda x, y: compute(x, y))
    function.__name__, function.__module__ = name, __name__
    function.__annotations__["return"] = object
    function.__doc__ = f"""`{formula}` of {operands}.

    >>> ops.{name}({arguments})
    {shown}
    """
    return composite()(function)


for _row in _ROWS:
    _declare(*_row)
