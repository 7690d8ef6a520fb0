"""Record, under MindSpore, the dtypes of binary operators for all pairs of operand dtypes.

Run it with an interpreter that has MindSpore 2.10: `python tools/record_binary_dtypes.py`. It
writes `tests/recorded/binary_dtypes.json`: operator -> left dtype -> right dtype (or kind of Python
number) -> dtype of the result; what MindSpore refuses, or has no CPU kernel for, is left out.
"""

import json
import operator
import warnings
from pathlib import Path

import mindspore as ms
from mindspore import Tensor, ops

DTYPES = [
    *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]
NUMBERS = {"Python bool": True, "Python int": 2, "Python float": 2.5}
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "eq": operator.eq,
    "maximum": ops.maximum,
}  # fmt: skip


def tensor(name):
    return Tensor([1, 1], getattr(ms, "bool_" if name == "bool" else name))


def result(function, left, right):
    """The result's dtype, or None if MindSpore cannot compute it."""
    try:
        out = function(left, right)
        (out.astype(ms.float32) if out.dtype == ms.bfloat16 else out).asnumpy()
    except (TypeError, ValueError, RuntimeError):
        return None
    return str(out.dtype)


def main():
    warnings.simplefilter("ignore")
    ms.set_context(pynative_synchronize=True)
    table = {}
    for name, function in OPERATORS.items():
        for left in DTYPES:
            rights = {d: tensor(d) for d in DTYPES} | NUMBERS
            found = {r: result(function, tensor(left), value) for r, value in rights.items()}
            table.setdefault(name, {})[left] = {r: d for r, d in found.items() if d is not None}
    path = Path(__file__).parent.parent / "tests" / "recorded" / "binary_dtypes.json"
    path.write_text(json.dumps(table, indent=None, separators=(",", ":")) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
