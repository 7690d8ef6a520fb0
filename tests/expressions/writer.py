"""`Expression`: a random tree of operations on arrays of edge values."""

import dataclasses

import numpy as np

TINY, MOST = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
EDGES = np.array(
    [
        np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, TINY, -TINY, TINY / 2,
        -TINY / 8, 1e-45, MOST, -MOST, 1e30, -1e30, 1e-30, 1e20, 7.0, 255.0, 2.0**24, 1 + 2**-23,
        0.1, 1 / 3, -0.7, 88.0, -104.0,
    ],
    np.float32,
)  # fmt: skip
NUMBERS = [0.0, 1.0, -1.0, 2.0, 0.5, -0.0, 3.0, 1e30, 1e-30, 1e-45, 0.1, float("inf"), -2.0, 1e-8]
EXPONENTS = [2.0, 3.0, 0.5, -1.0, -2.0, 1.0, 0.0, -0.5]

# kind of a result -> {operation: kinds of its operands}; f: float32, d: float64, h: float16,
# i: int32, b: Bool, n: a Python number, e: an exponent
OPERATIONS = {
    "f": {
        "add": "ff", "sub": "ff", "mul": "ff", "div": "ff", "add_number": "fn", "sub_number": "fn",
        "mul_number": "fn", "div_number": "fn", "number_sub": "fn", "number_div": "fn",
        "mul_mask": "bf", "add_mask": "bf", "div_mask": "bf", "neg": "f", "abs": "f", "sqrt": "f",
        "exp": "f", "log": "f", "square": "f", "pow": "fe", "maximum": "ff", "minimum": "ff",
        "where": "bff", "where_number": "bfn", "floor": "f", "sign": "f", "from_bool": "b",
        "from_int": "i", "from_half": "h", "from_double": "d", "reciprocal": "f", "rsqrt": "f",
        "sum": "f", "max": "f", "min": "f", "mean": "f", "sum_of_product": "ff", "prod": "f",
    },
    "b": {
        "greater": "ff", "less_equal": "ff", "equal": "ff", "not_equal": "ff", "positive": "f",
        "and": "bb", "or": "bb", "not": "b", "isnan": "f", "isfinite": "f", "to_bool": "f",
        "any": "b", "greater_int": "ii",
    },
    "i": {
        "to_int": "f", "add_int": "ii", "mul_int": "ii", "bool_to_int": "b", "argmax": "f",
        "sum_int": "i", "mul_mask_int": "bi", "neg_int": "i", "count": "b",
    },
    "h": {"to_half": "f", "add_half": "hh", "mul_half": "hh"},
    "d": {"to_double": "f", "add_double": "dd", "mul_double": "dd", "div_double": "dd"},
}  # fmt: skip
LEAVES = {"f": ("x", "y"), "b": ("m",), "i": ("k",), "h": ("h",), "d": ("d",)}


@dataclasses.dataclass(frozen=True)
class Expression:
    """An operation on expressions; a leaf is the name of an input, or a number."""

    kind: str
    name: object
    operands: tuple = ()

    def __str__(self):
        return (
            f"{self.name}({', '.join(map(str, self.operands))})"
            if self.operands
            else str(self.name)
        )

    def names(self):
        """Yield the operations in it."""
        for operand in self.operands:
            yield from operand.names()
        if self.operands:
            yield self.name

    def smaller(self):
        """Yield expressions with one operation less, of the same kind."""
        for i, operand in enumerate(self.operands):
            if operand.kind == self.kind:
                yield operand
            for less in operand.smaller():
                yield dataclasses.replace(
                    self, operands=(*self.operands[:i], less, *self.operands[i + 1 :])
                )
        if self.operands and self.kind in LEAVES:
            yield Expression(self.kind, LEAVES[self.kind][0])


def write(random, kind="f", depth=4):
    """Return a random expression of a kind."""
    if kind == "n":
        return Expression(kind, NUMBERS[random.integers(len(NUMBERS))])
    if kind == "e":
        return Expression(kind, EXPONENTS[random.integers(len(EXPONENTS))])
    if depth == 0 or random.random() < 0.12:
        names = LEAVES[kind]
        return Expression(kind, names[random.integers(len(names))])
    names = [*OPERATIONS[kind]]
    name = names[random.integers(len(names))]
    kinds = OPERATIONS[kind][name]
    return Expression(kind, name, tuple(write(random, k, depth - 1) for k in kinds))


def inputs(random):
    """Return {name: array}: pairs of edge values in every combination of some, and masks."""
    x = np.concatenate([EDGES, random.choice(EDGES, 34)])
    y = random.permutation(x)
    with np.errstate(all="ignore"):
        return {
            "x": x.reshape(8, 8), "y": y.reshape(8, 8), "m": random.random((8, 8)) < 0.5,
            "k": random.integers(-9, 9, (8, 8)).astype(np.int32),
            "h": x.astype(np.float16).reshape(8, 8), "d": y.astype(np.float64).reshape(8, 8),
        }  # fmt: skip
