"""The dtype in which two operands meet: MindSpore's rule, recorded from MindSpore 2.10.

Where it has none, PyTorch's: UInt16, UInt32 and UInt64 take the dtype of a floating tensor, and a
Python complex number makes Complex64 of all but Float64 and Complex128.
"""

import csv
import functools
from pathlib import Path

import numpy as np

from sporax.core.dtype import _BY_NAME, PYTHON_TYPES, from_numpy


@functools.cache
def _table():
    with open(Path(__file__).with_name("promotion.csv"), encoding="utf8") as file:
        return {row.pop("left"): row for row in csv.DictReader(file)}


@functools.cache
def _pair(left, right, right_weak):
    """Result of a tensor of dtype `left` meeting a tensor (or Python number) of dtype `right`."""
    if right_weak and right.kind == "c":
        wide = left in (np.dtype(np.float64), np.dtype(np.complex128))
        return np.dtype(np.complex128 if wide else np.complex64)
    column = PYTHON_TYPES[right.kind].__name__ if right_weak else str(from_numpy(right))
    name = _table().get(str(from_numpy(left)), {}).get(column, "-")
    if name == "-":
        floating = [dtype for dtype in (left, right) if dtype.kind in "fV"]  # bfloat16 is 'V'
        if floating and not right_weak and min(dtype.itemsize for dtype in floating) > 1:
            return floating[0]  # over UInt16, UInt32 or UInt64, which the table leaves out
        other = f"a Python {column}" if right_weak else column
        raise TypeError(
            f"operands of dtype {from_numpy(left)} and {other} have no common dtype; "
            "convert one of them first with 'astype'"
        )
    return _BY_NAME[name].numpy_dtype


def promote(avals):
    """The dtype in which operands of these avals meet (NumPy's dtype object).

    Tensors meet each other first, Python numbers then join; numbers alone become what
    `Tensor(number)` would be.
    """
    strong = [a.dtype for a in avals if not a.weak]
    weak = [a.dtype for a in avals if a.weak]
    if not avals:
        raise ValueError("there must be at least one Tensor, but the list is empty")
    if not strong:
        met = functools.reduce(np.promote_types, weak)
        return np.dtype(np.float32) if met == np.float64 else met
    met = functools.reduce(lambda a, b: a if a == b else _pair(a, b, False), strong)
    for dtype in weak:
        met = _pair(met, dtype, True)
    return met
