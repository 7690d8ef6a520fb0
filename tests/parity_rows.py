"""The calls whose results are compared with MindSpore's: the samples' operations by every face."""

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


def rows():
    return list(of_samples())


def reason(row, call, reasons):
    """The key of the reason why a call may differ: its row's, or its own."""
    keys = (row.name, f"{row.name} {call.partition('(')[0]}")
    return next((key for key in keys if key in reasons), None)
