"""`Cell.to_float`: compute a cell in one floating dtype while its parameters keep theirs."""

import enum
from contextlib import closing

from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors
from sporax._src.runtime.engine.autocast import computing_in, precision_of

# flags of a Cell -> the dtype of its computation
FLAGS = {"fp16": dtypes.float16, "fp32": dtypes.float32, "bf16": dtypes.bfloat16}
FLOATS = (*FLAGS.values(), dtypes.float64)


class MixedPrecision(enum.Enum):
    """Precision of one cell, with the values of MindSpore's `MixedPrecisionType`."""

    NOTSET = 0
    FP16 = 1
    FP32 = 2
    BF16 = 3


def mixed_precision_of(chosen):
    """Return the `MixedPrecision` for the setting of `to_float` or autocast."""
    dtype = chosen.inside if isinstance(chosen, PrecisionScheme) else chosen
    names = [flag.upper() for flag, kind in FLAGS.items() if kind is dtype]
    return MixedPrecision[names[0]] if names else MixedPrecision.NOTSET


class PrecisionScheme:
    """Mixed precision of one cell: the compute dtype or Choice (`inside`) and the result dtype
    (`returns`; None: unchanged)."""

    __slots__ = ("inside", "returns")

    def __init__(self, inside, returns=None):
        self.inside, self.returns = inside, returns


def run_in_precision(cell, construct, chosen, *args, **kwargs):
    """Call `construct(...)` in the precision of a dtype or a PrecisionScheme."""
    if not isinstance(chosen, PrecisionScheme):
        return _run_in(cell, construct, chosen, args, kwargs)
    if isinstance(chosen.inside, dtypes.Type):
        output = _run_in(cell, construct, chosen.inside, args, kwargs)
    else:
        with closing(computing_in(chosen.inside)) as block, block:
            output = construct(*args, **kwargs)
    return output if chosen.returns is None else cast_floats(output, chosen.returns)


def cast_floats(tree, dtype):
    """Cast the floating Tensors in nested containers to a floating dtype."""
    return map_tensors(lambda t: t.astype(dtype) if _needs(t, dtype) else t, tree)


def _run_in(cell, construct, dtype, args, kwargs):
    """Call `construct(...)` with floating inputs, operands and the cell's own Tensors cast to
    `dtype`.

    A Parameter, buffer or other Tensor that `construct` writes is updated in its own dtype.
    """

    def cast(tensor):
        return tensor.astype(dtype) if _needs(tensor, dtype) else tensor

    own = [t for t in cell.__dict__.values() if isinstance(t, Tensor) and _needs(t, dtype)]
    with closing(computing_in(precision_of(dtype.numpy_dtype))) as block, block:
        originals = []
        try:
            for tensor in own:
                value, kind, converted = tensor._lift(), tensor.dtype, cast(tensor)._value
                originals.append((tensor, value, kind, converted))
                tensor._value = converted
            return construct(*map_tensors(cast, args), **map_tensors(cast, kwargs))
        finally:  # an interrupt may arrive during the first `_restore`
            try:
                _restore(originals)
            finally:
                _restore(originals)


def _restore(originals):
    """Restore the Values of (tensor, Value, dtype, converted Value) where unchanged; cast written
    Values back to the tensor's dtype."""
    for tensor, value, kind, converted in originals:
        if tensor._value is converted:
            tensor._value = value
        elif tensor.dtype != kind:
            tensor._value = tensor.astype(kind)._value


def _needs(tensor, dtype):
    return tensor.dtype in FLOATS and tensor.dtype != dtype
