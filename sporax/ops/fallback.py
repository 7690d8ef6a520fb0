"""Arguments of `__fallback__(self, func, args, kwargs)` of a Tensor subclass: the operation, under
its name in MindSpore, and its arguments."""

import functools

from sporax._src.core.hooks import hooks
from sporax._src.runtime.engine.recorder import apply
from sporax.ops.declare import Arrays

# declared name -> MindSpore's; with its arguments if they are fewer, others are keywords
_NAMES = {
    "bmm": "BatchMatMulExt",
    "chunk": "Chunk",
    "div": "Div(input, other)",
    "flatten": "FlattenExt(input, start_dim, end_dim)",
    "full_like": "FullLike",
    "index_select": "IndexSelect",
    "layer_norm": "LayerNormExt",
    "log_softmax": "LogSoftmaxExt",
    "matmul": "MatMulExt",
    "mean": "MeanExt",
    "narrow": "NarrowView",
    "prod": "ProdExt",
    "softmax": "Softmax(input, axis)",
    "split": "SplitTensor",
    "stack": "StackExt",
    "sum": "SumExt(input, dim, keepdim, dtype)",
    "swapaxes": "TransposeExtView",
    "swiglu": "Swiglu",
    "topk": "TopkExt",
    "var": "Var",
}


class Operation:
    """An operation: `name`, and a call with its arguments in order."""

    def __init__(self, op):
        self.op, self.name, self.declared = op, op.name, op.declared
        if self.declared is not None:
            declaration = self.declared[0]
            written: str = _NAMES.get(declaration.fn.__name__) or op.name
            if isinstance(self.declared[1].get("split_size_or_sections"), tuple):
                written = "SplitWithSize"
            self.name, _, names = written.rstrip(")").partition("(")
            self.parameters = names.split(", ") if names else [*declaration.signature.parameters]

    def arguments(self, operands):
        """Return the arguments of a call with these operands: a tuple and a dict."""
        if self.declared is None:
            return operands, {}
        declaration, values, structure = self.declared
        remaining, values = list(operands), dict(values)
        for name, count in zip(declaration.operands, structure or [1] * len(operands), strict=True):
            taken = [remaining.pop(0) for _ in range(count or 0)]
            is_sequence = declaration.operands[name] is Arrays
            values[name] = taken if is_sequence else taken[0] if taken else None
        args = tuple([values.pop(name) for name in self.parameters])
        kinds = declaration.signature.parameters
        return args, {n: v for n, v in values.items() if v is not kinds[n].default}

    def __call__(self, *args, **kwargs):
        if self.declared is None:
            return apply(self.op, *args)
        return _face(self.declared[0])(**dict(zip(self.parameters, args, strict=False)), **kwargs)

    def __repr__(self):
        return f"<operation {self.name}>"


@functools.cache
def _face(declaration):
    return declaration.face()


def _arguments(op, operands):
    called = Operation(op)
    return called, *called.arguments(operands)


hooks.fallback_arguments = _arguments
