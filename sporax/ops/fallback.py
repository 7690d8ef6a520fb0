"""What `__fallback__(self, func, args, kwargs)` of a Tensor subclass gets: the operation, under its
name in MindSpore, and its arguments."""

from sporax._src.core.hooks import hooks
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.declare import Arrays

# declared name -> MindSpore's, with its arguments if there are fewer here
_NAMES = {
    "bmm": "BatchMatMulExt",
    "matmul": "MatMulExt",
    "mean": "MeanExt",
    "sum": "SumExt(input, dim, keepdim, dtype)",
    "topk": "TopkExt",
}


class Operation:
    """An operation: `name`, and a call with its arguments in order."""

    def __init__(self, op):
        self.op, self.name, self.declared = op, op.name, op.declared
        if self.declared is not None:
            declaration = self.declared[0]
            written = _NAMES.get(declaration.fn.__name__, op.name)
            self.name, _, names = written.rstrip(")").partition("(")
            self.parameters = names.split(", ") if names else [*declaration.signature.parameters]

    def arguments(self, operands):
        """Return the arguments of a call with these operands."""
        if self.declared is None:
            return operands
        declaration, values, structure = self.declared
        remaining, values = list(operands), dict(values)
        for name, count in zip(declaration.operands, structure or [1] * len(operands), strict=True):
            taken = [remaining.pop(0) for _ in range(count or 0)]
            is_sequence = declaration.operands[name] is Arrays
            values[name] = taken if is_sequence else taken[0] if taken else None
        return tuple([values[name] for name in self.parameters])

    def __call__(self, *args, **kwargs):
        if self.declared is None:
            return apply(self.op, *args)
        return self.declared[0].face()(**dict(zip(self.parameters, args, strict=False)), **kwargs)

    def __repr__(self):
        return f"<operation {self.name}>"


def _arguments(op, operands):
    called = Operation(op)
    return called, called.arguments(operands), {}


hooks.fallback_arguments = _arguments
