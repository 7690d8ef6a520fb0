"""Whether two outcomes are the same, as far as their dtypes can tell."""

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


def texts_agree(ours, theirs):
    """Words are the same, numbers close."""
    if NUMBER.sub("#", ours).split() != NUMBER.sub("#", theirs).split():
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs), strict=True)
    return all(close(float(a), float(b)) for a, b in pairs)


def agree(ours, theirs, near=NEAR_ENOUGH):
    """Whether two outcomes are the same; `near`: how close numbers of most dtypes must be."""
    if isinstance(ours, list) and isinstance(theirs, list):
        if ours[:1] == theirs[:1] == ["raises"]:
            bases = ours[3] if ours[3:] else []  # as which the error is caught, too
            return theirs[1] in (ours[1], *bases)
        if ours[:1] == theirs[:1] == ["dict"]:  # in any order
            ours, theirs = (dict(zip(*one[1:], strict=True)) for one in (ours, theirs))
            return ours.keys() == theirs.keys() and all(
                agree(ours[k], theirs[k], near) for k in ours
            )
        if len(ours) != len(theirs):
            return False
        if len(ours) == 4 and ours[0] in ("Tensor", "Parameter", "array"):
            kind = str(ours[1]).lower()
            same = ours[:3] == theirs[:3] and len(ours[3]) == len(theirs[3])
            here = NEAR.get(kind, near)
            return same and all(close(a, b, here) for a, b in zip(ours[3], theirs[3], strict=True))
        return all(agree(a, b, near) for a, b in zip(ours, theirs, strict=True))
    if isinstance(ours, str) and isinstance(theirs, str):
        return ours == theirs or texts_agree(ours, theirs)
    return type(ours) is type(theirs) and close(ours, theirs, near)
