"""Padding of arrays."""

import jax.numpy as jnp
import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax.numpy.faces import Array, array_of, array_op, composite

_PADS = {
    "constant": ("constant_values",), "linear_ramp": ("end_values",),
    **dict.fromkeys(("maximum", "minimum", "mean"), ("stat_length",)),
    **dict.fromkeys(("reflect", "symmetric"), ("reflect_type",)),
    **dict.fromkeys(("edge", "wrap", "empty"), ()),
}  # fmt: skip


_MODE = kinds.one_of(*_PADS)


@array_op("padded", public=False)
def _padded(arr: Array, pad_width, mode, options):
    """Pad `arr`, for `pad`."""
    return jnp.pad(arr, pad_width, mode, **dict(options)).astype(arr.dtype)


@composite(numpy=True)
def pad(
    arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0,
    reflect_type="even", **kwargs,
):  # fmt: skip
    """Pad `arr` by `pad_width` elements: an int, a (before, after) pair, or one pair per axis.

    `mode`: 'constant' (`constant_values`), 'edge', 'wrap', 'reflect' and 'symmetric'
    (`reflect_type` 'even' or 'odd'), 'linear_ramp' (to `end_values`), 'maximum', 'minimum', 'mean'
    (of `stat_length` elements), 'empty'; or a function as in `numpy.pad`.

    >>> pad(Tensor([1, 2]), 1).tolist()
    [0, 1, 2, 0]
    """
    arr = array_of(arr, "pad", "arr")
    if arr.ndim == 0:
        return arr
    if callable(mode):
        return Tensor(np.pad(arr.asnumpy(), pad_width, mode, **kwargs))
    _MODE("numpy.pad", mode=mode)
    options = {"stat_length": stat_length, "constant_values": constant_values,
             "end_values": end_values, "reflect_type": reflect_type}  # fmt: skip
    chosen = {n: options[n] for n in _PADS[mode] if options[n] is not None}
    return _padded(arr, pad_width, mode, tuple(chosen.items()))
