"""The calls whose results are compared with MindSpore's: the samples' operations by every face."""

import functools
import zlib

import numpy as np

from sporax.ops.declare import OPS
from tests import face_calls
from tests.samples import collect


class Row:
    """Calls that give the same: `calls`, on `arrays`; `reference()` in NumPy."""

    def __init__(self, family, name, calls, arrays, reference, rtol, atol):
        self.family, self.name, self.calls, self.arrays = family, name, calls, arrays
        self.reference, self.rtol, self.atol = reference, rtol, atol

    def check(self):
        """A sum over the inputs: it tells a recorded row from one that has changed since."""
        total = 0
        for array in self.arrays:
            total = zlib.crc32(f"{array.dtype}{array.shape}".encode() + array.tobytes(), total)
        return total


def of_samples():
    seen = {}
    for sample in collect("SAMPLES"):
        calls = list(face_calls.calls(sample))
        if not calls:
            continue
        count = seen[str(sample)] = seen.get(str(sample), 0) + 1
        name = str(sample) if count == 1 else f"{sample}#{count}"

        def reference(sample=sample):
            arrays = sample.arrays(np.float32)
            wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
            return sample.ref(*wide, **sample.attrs)

        family = OPS[sample.op].fn.__module__.rpartition(".")[2]
        yield Row(
            family, name, calls, sample.arrays(np.float32), reference, sample.rtol, sample.atol
        )


def _with_odd(arrays):
    """NaN and infinities at the first places of the first input."""
    first = arrays[0].copy()
    odd = [np.nan, np.inf, -np.inf, -0.0][: first.size]
    first.reshape(-1)[: len(odd)] = odd
    return [first, *arrays[1:]]


def _in(dtype):
    def converted(arrays):
        return [np.round(a * 2).astype(dtype) for a in arrays]

    return converted


# what is done to the inputs of an operation's first sample
EDGES = {
    "odd": _with_odd,
    "empty": lambda arrays: [a[:0] for a in arrays],
    "float16": _in(np.float16),
    "float64": _in(np.float64),
    "int32": _in(np.int32),
    "int64": _in(np.int64),
    "uint8": lambda arrays: [np.abs(np.round(a * 2)).astype(np.uint8) for a in arrays],
    "bool": lambda arrays: [a > 0 for a in arrays],
    "0-d": lambda arrays: [a.reshape(-1)[0].reshape(()) for a in arrays],
}
QUICK = {"odd", "empty", "0-d", "int32"}
# where the sample's reference says nothing: it is for other numbers, or for floats only
NO_REFERENCE = {
    "erfinv-odd", "erfinv-float16", "erfinv-float64", "nan_to_num-odd", "rsqrt-odd", "topk-odd",
    "hardshrink-odd", "lgamma-odd",
}  # fmt: skip
# families of operations that are defined for any shape, and those whose rows have 2 axes or more
ELEMENTWISE = {"activation", "arithmetic", "blending", "comparison", "elementwise"}
ALONG_AXES = {"reduction", "statistics", "sorting", "shape", "joining", "slicing"}
HAVE_AXES = {"glu", "log_softmax", "prelu", "softmax"}
REDUCE = {"reduction", "statistics"}  # MindSpore's kernels give what is in memory for no elements


def at_edges():
    """The first sample of each operation, with other inputs: `EDGES`."""
    asked = set()
    for sample in collect("SAMPLES"):
        family = OPS[sample.op].fn.__module__.rpartition(".")[2]
        calls = [c for c in face_calls.calls(sample) if c.startswith(("ops.", "a."))]
        shapes = all(isinstance(i, tuple) and i for i in sample.inputs)
        fits = family in ELEMENTWISE | ALONG_AXES and shapes and sample.inputs
        if sample.op in asked or not calls or not fits:
            continue
        asked.add(sample.op)
        for edge, changed in EDGES.items():
            if edge == "0-d" and (family not in ELEMENTWISE or sample.op in HAVE_AXES):
                continue
            if edge == "empty" and (family in REDUCE or len({i[0] for i in sample.inputs}) > 1):
                continue
            arrays = changed(sample.arrays(np.float32))
            loose = 1e-2 if edge == "float16" else sample.rtol
            kind = "at edges" if edge in QUICK else "in other dtypes"
            yield Row(
                f"{family} {kind}",
                f"{sample.op}-{edge}",
                calls[:1],
                arrays,
                functools.partial(_reference, sample, edge, arrays),
                loose,
                max(sample.atol, loose / 10),
            )


def _reference(sample, edge, arrays):
    """NumPy's answer, or None where the sample's has none, or another arithmetic."""
    none = f"{sample.op}-{edge}" in NO_REFERENCE or edge == "empty"
    if none or arrays[0].dtype.kind in "iub":
        return None
    with np.errstate(all="ignore"):
        wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
        return sample.ref(*wide, **sample.attrs)


def rows():
    return [*of_samples(), *at_edges()]


def reason(row, call, reasons):
    """The key of the reason why a call may differ: its row's, or its own."""
    keys = (row.name, f"{row.name} {call.partition('(')[0]}")
    return next((key for key in keys if key in reasons), None)
