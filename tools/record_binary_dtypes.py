"""Record, under MindSpore or PyTorch, the dtypes of binary operators for all pairs of dtypes.

Run it with an interpreter that has MindSpore 2.10, `python tools/record_binary_dtypes.py`, and with
one that has PyTorch, `python tools/record_binary_dtypes.py torch`. It writes
`tests/recorded/binary_dtypes.json` and `binary_dtypes_torch.json`: operator -> left dtype -> right
dtype (or kind of Python number) -> dtype of the result; rejected pairs and pairs without a CPU
kernel are left out.
"""

import importlib
import json
import operator
import sys
import warnings
from pathlib import Path

DTYPES = [
    *("bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
]
NUMBERS = {
    "Python bool": True, "Python int": 2, "Python float": 2.5, "Python complex": 1 + 2j,
}  # fmt: skip
OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "eq": operator.eq,
    "lt": operator.lt, "maximum": None,
}  # fmt: skip


class MindSpore:
    file = "binary_dtypes.json"

    def __init__(self):
        self.ms = importlib.import_module("mindspore")
        self.ms.set_context(pynative_synchronize=True)
        self.maximum = self.ms.ops.maximum

    def tensor(self, name):
        return self.ms.Tensor([1, 1], getattr(self.ms, "bool_" if name == "bool" else name))

    def dtype(self, out):
        (out.astype(self.ms.float32) if out.dtype == self.ms.bfloat16 else out).asnumpy()
        return str(out.dtype)


class PyTorch:
    file = "binary_dtypes_torch.json"

    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.maximum = self.torch.maximum

    def tensor(self, name):
        return self.torch.tensor([1, 1]).to(getattr(self.torch, name))

    def dtype(self, out):
        name = str(out.dtype).removeprefix("torch.").capitalize()
        return name.replace("Uint", "UInt").replace("Bfloat", "BFloat")


def result(source, function, left, right):
    """The result's dtype, or None if it cannot be computed (MindSpore compares with a complex
    number to a bool)."""
    try:
        out = function(left, right)
        return None if isinstance(out, bool) else source.dtype(out)
    except (TypeError, ValueError, RuntimeError):
        return None


def main():
    warnings.simplefilter("ignore")
    source = PyTorch() if sys.argv[1:] == ["torch"] else MindSpore()
    table = {}
    for name, function in OPERATORS.items():
        function = function or source.maximum
        for left in DTYPES:
            rights = {d: source.tensor(d) for d in DTYPES} | NUMBERS
            results = {
                r: result(source, function, source.tensor(left), v) for r, v in rights.items()
            }
            table.setdefault(name, {})[left] = {r: d for r, d in results.items() if d is not None}
    path = Path(__file__).parent.parent / "tests" / "recorded" / source.file
    path.write_text(json.dumps(table, indent=None, separators=(",", ":")) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
