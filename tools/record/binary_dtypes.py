"""Dtypes of binary operators for all pairs of dtypes, of MindSpore and of PyTorch."""

import operator

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


def binary_dtypes(ms):
    def tensor(name):
        return ms.Tensor([1, 1], getattr(ms, "bool_" if name == "bool" else name))

    def dtype(out):
        (out.astype(ms.float32) if out.dtype == ms.bfloat16 else out).asnumpy()
        return str(out.dtype)

    return {"binary_dtypes.json": _table(tensor, dtype, ms.ops.maximum)}


def binary_dtypes_torch(pt):
    def tensor(name):
        return pt.tensor([1, 1]).to(getattr(pt, name))

    def dtype(out):
        name = str(out.dtype).removeprefix("torch.").capitalize()
        return name.replace("Uint", "UInt").replace("Bfloat", "BFloat")

    return {"binary_dtypes_torch.json": _table(tensor, dtype, pt.maximum)}


def _table(tensor, dtype, maximum):
    """{operator: {left: {right: dtype}}}, without rejected pairs and pairs without a kernel."""
    table = {}
    for name, function in OPERATORS.items():
        for left in DTYPES:
            rights = {d: tensor(d) for d in DTYPES} | NUMBERS
            results = {
                r: _result(dtype, function or maximum, tensor(left), v) for r, v in rights.items()
            }
            table.setdefault(name, {})[left] = {r: d for r, d in results.items() if d is not None}
    return table


def _result(dtype, function, left, right):
    """The result's dtype, or None if it cannot be computed (MindSpore compares with a complex
    number to a bool)."""
    try:
        out = function(left, right)
        return None if isinstance(out, bool) else dtype(out)
    except (TypeError, ValueError, RuntimeError):
        return None
