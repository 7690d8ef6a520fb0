"""What `Cell.to_float` does: a cell computes in one floating dtype, its parameters keep theirs."""

from sporax.core import dtype as dtypes
from sporax.core.tree import map_tensors

# the flags of a Cell that choose what it computes in
FLAGS = {"fp16": dtypes.float16, "fp32": dtypes.float32, "bf16": dtypes.bfloat16}
FLOATS = (*FLAGS.values(), dtypes.float64)


def run_in_precision(cell, construct, dtype, *args, **kwargs):
    """`construct(...)`, where floating inputs and the cell's own parameters are of `dtype`.

    A parameter that `construct` changes gets its new contents in its own dtype.
    """

    def cast(tensor):
        return tensor.astype(dtype) if tensor.dtype in FLOATS else tensor

    borrowed = []
    for p in cell._params.values():
        if p is not None and p.dtype in FLOATS and p.dtype != dtype:
            kept, own, lent = p._lift(), p.dtype, cast(p)._value
            p._value = lent
            borrowed.append((p, kept, own, lent))
    try:
        return construct(*map_tensors(cast, args), **map_tensors(cast, kwargs))
    finally:
        for p, kept, own, lent in borrowed:
            p._value = kept if p._value is lent else p.astype(own)._value
