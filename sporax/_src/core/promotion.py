"""Dtype promotion: MindSpore's rules, recorded from MindSpore 2.10.

Where it has none, PyTorch's apply: UInt16, UInt32 and UInt64 promote to the dtype of a floating
tensor; a Python complex number promotes Float64 and Complex128 to Complex128, others to Complex64.
"""

import csv
import functools
from pathlib import Path

import numpy as np

from sporax._src.core.dtype import _BY_NAME, PYTHON_TYPES, from_numpy
from sporax._src.diagnosis.rules import message, rejection, require


@functools.cache
def _table():
    with open(Path(__file__).with_name("promotion.csv"), encoding="utf8") as file:
        return {row.pop("left"): row for row in csv.DictReader(file)}


@functools.cache
def _pair(left, right, right_weak):
    """Promote dtype `left` of a tensor and dtype `right` of a tensor (or Python number)."""
    if right_weak and right.kind == "c":
        wide = left in (np.dtype(np.float64), np.dtype(np.complex128))
        return np.dtype(np.complex128 if wide else np.complex64)
    column = PYTHON_TYPES[right.kind].__name__ if right_weak else str(from_numpy(right))
    name = _table().get(str(from_numpy(left)), {}).get(column, "-")
    if name == "-":
        floating = [dtype for dtype in (left, right) if dtype.kind in "fV"]  # bfloat16 is 'V'
        if floating and not right_weak and min(dtype.itemsize for dtype in floating) > 1:
            return floating[0]  # with UInt16, UInt32 or UInt64, which the table leaves out
        other = message("python-number", kind=column) if right_weak else column
        raise rejection("operands-dtype-no-common", dtype=from_numpy(left), other=other)
    return _BY_NAME[name].numpy_dtype


def promote(avals):
    """Return the promoted dtype of operands of these avals (a NumPy dtype object).

    Tensors are promoted first, then Python numbers; numbers alone get the dtype of
    `Tensor(number)`.
    """
    strong = [a.dtype for a in avals if not a.weak]
    weak = [a.dtype for a in avals if a.weak]
    require(avals, "at-least-one-tensor-list")
    if not strong:
        met = functools.reduce(np.promote_types, weak)
        return np.dtype(np.float32) if met == np.float64 else met
    met = functools.reduce(lambda a, b: a if a == b else _pair(a, b, False), strong)
    for dtype in weak:
        met = _pair(met, dtype, True)
    return met
