"""`Cell.to`: convert parameters and buffers to another dtype."""

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.cell_tree import tree
from sporax._src.core.context import check_device
from sporax._src.core.errors import warn
from sporax._src.core.tensor import Tensor, new_value
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax._src.runtime.engine.meta import on_device
from sporax.nn.cell_registry import tensors_in
from sporax.nn.cell_state import CellState


class DtypeConversion(CellState):
    """Mixin of `Cell` that converts its parameters and buffers in place."""

    def to(self, *args, **kwargs):
        """Convert floating and complex parameters and buffers recursively; returns the cell.

        Called as `to(dtype)`, `to(tensor)` for the tensor's dtype, or `to(device, dtype)`;
        `non_blocking` has no effect. `device` must be the current device, which `set_device`
        chooses, or 'meta', which drops the data. Parameters and buffers keep their identity.

        >>> nn.Dense(2, 2).to(ms.float16).weight.dtype
        mindspore.float16
        """
        device, dtype = _parsed(*args, **kwargs)
        if device is not None:
            check_device("Cell.to", device)
            for _, cell in tree(self):
                for tensor in tensors_in(cell):
                    if device == "meta":
                        tensor._drop_data()
                    elif tensor.is_meta:
                        tensor._read()  # raises
        if dtype is not None:
            wanted = _floating(dtype)
            for _, cell in tree(self):
                for tensor in tensors_in(cell):
                    if tensor._value.aval.inexact and tensor.dtype != wanted:
                        tensor._rebind(tensor.astype(wanted)._value)
        return self

    def to_empty(self, *, device=None, recurse=True):
        """Fill parameters and buffers with zeros without reading the old contents, here and, with
        `recurse`, in all descendants; returns the cell."""
        if device is not None:
            check_device("Cell.to_empty", device)
        for _, cell in tree(self) if recurse else [("", self)]:
            for tensor in tensors_in(cell):
                aval = tensor._value.aval
                if device == "meta" or (device is None and thread.recorder.is_meta):
                    tensor._drop_data()
                else:
                    with on_device(device):
                        value = new_value(np.zeros(aval.shape, aval.dtype), None)
                    tensor._rebind(value)
        return self


def _parsed(*args, **kwargs):
    """Parse a call in one of three forms to (device, dtype)."""
    names = ("device", "dtype", "non_blocking")
    if args and isinstance(args[0], Tensor):
        args = (None, args[0].dtype, *args[1:])
    elif "tensor" in kwargs:
        kwargs["dtype"] = kwargs.pop("tensor").dtype
    elif args and isinstance(args[0], dtypes.Type):
        args = (None, *args)
    by_position = dict(zip(names, args, strict=False))
    doubtful = [*[n for n in kwargs if n not in names or by_position.get(n) is not None], *args[3:]]
    device, dtype = {**by_position, **kwargs}.get("device"), {**by_position, **kwargs}.get("dtype")
    fits = not doubtful and isinstance(device, (str, type(None)))
    require(fits, "arguments-dtype-tensor-device", "Cell.to", got=args, kwargs=kwargs)
    return device, dtype


def _floating(dtype):
    fits = isinstance(dtype, dtypes.Type) and dtypes.to_numpy(dtype).kind in "fcV"
    require(fits, "floating-complex", "Cell.to", dtype=dtype)
    if dtypes.to_numpy(dtype).kind == "c":
        warn(
            f"Cell.to({dtype}): layers are made for real numbers, and not all of them compute with "
            "complex ones.",
            UserWarning,
        )
    return dtype
