"""Compares two outcomes, with the tolerances of their dtypes."""

import math
import re

NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")
# dtype -> relative and absolute distance
NEAR = {
    "float16": (4e-3, 4e-3), "bfloat16": (3e-2, 3e-2), "float64": (2e-5, 2e-6),
}  # fmt: skip
NEAR_ENOUGH = (1e-4, 2e-5)  # of all others
OF_AREAS = {"precision": (4e-3, 4e-3)}  # what was computed in Float16 and is returned as Float32


def close(a, b, near=NEAR_ENOUGH):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(
            a, b, rel_tol=near[0], abs_tol=near[1]
        )
    return a == b


def texts_agree(actual, expected):
    """Return True if the words of two texts are equal and their numbers close."""
    if NUMBER.sub("#", actual).split() != NUMBER.sub("#", expected).split():
        return False
    pairs = zip(NUMBER.findall(actual), NUMBER.findall(expected), strict=True)
    return all(close(float(a), float(b)) for a, b in pairs)


def agree(actual, expected, near=NEAR_ENOUGH):
    """Return True if two outcomes agree; `near`: the tolerances of most dtypes."""
    if isinstance(actual, list) and isinstance(expected, list):
        if actual[:1] == expected[:1] == ["raises"]:
            bases = actual[3] if actual[3:] else []  # as which the error is caught, too
            return expected[1] in (actual[1], *bases)
        if actual[:1] == expected[:1] == ["dict"]:  # in any order
            actual, expected = (dict(zip(*one[1:], strict=True)) for one in (actual, expected))
            return actual.keys() == expected.keys() and all(
                agree(actual[k], expected[k], near) for k in actual
            )
        if len(actual) != len(expected):
            return False
        if len(actual) == 4 and actual[0] in ("Tensor", "Parameter", "array"):
            kind = str(actual[1]).lower()
            same = actual[:3] == expected[:3] and len(actual[3]) == len(expected[3])
            here = NEAR.get(kind, near)
            return same and all(
                close(a, b, here) for a, b in zip(actual[3], expected[3], strict=True)
            )
        return all(agree(a, b, near) for a, b in zip(actual, expected, strict=True))
    if isinstance(actual, str) and isinstance(expected, str):
        return actual == expected or texts_agree(actual, expected)
    return type(actual) is type(expected) and close(actual, expected, near)
