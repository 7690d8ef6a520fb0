"""The calls whose results are compared with MindSpore's: the samples' operations by every face."""

import fnmatch
import re
import string
import zlib

import numpy as np

from tests import records
from tests.ops import call_forms, parity_calls, parity_edges
from tests.samples import collect

FACES = ("ops", "tensor", "primitive", "mint", "numpy")


class Row:
    """Equivalent calls: `calls`, on the inputs of `sample`.

    `seen`: the inputs as the calls see them, if they are views. `plain`: the sample that this one
    is derived from.
    """

    def __init__(self, family, name, calls, sample, seen=None, plain=None):
        self.family, self.name, self.calls, self.sample = family, name, calls, sample
        self.plain = plain or sample
        self.arrays = sample.arrays(np.float32)
        self.seen = self.arrays if seen is None else seen
        self.rtol, self.atol = sample.rtol, sample.atol
        self.named = dict(zip(string.ascii_lowercase, self.arrays, strict=False))

    def torch(self):
        """Return the call for PyTorch: the one of `mint`, if there is one."""
        return next((call for call in self.calls if call.startswith("mint.")), None)

    def reference(self):
        if self.converted():
            raise TypeError("the reference is for floating inputs")
        wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in self.seen]
        return self.sample.ref(*wide, **self.sample.attrs)

    def converted(self):
        """Return True if floating inputs have become integers."""
        before = self.plain.arrays(np.float32)
        return any(
            a.dtype.kind == "f" and b.dtype.kind in "iub"
            for a, b in zip(before, self.arrays, strict=True)
        )

    def check(self):
        """Return a checksum of the inputs, which detects a recorded row whose inputs have
        changed."""
        total = 0
        for array in self.named.values():
            total = zlib.crc32(f"{array.dtype}{array.shape}".encode() + array.tobytes(), total)
        return total


class Call(Row):
    """A row of `tests/ops/parity_calls.py`."""

    def __init__(self, written):
        call, _, self.wanted = written.partition(" | ")
        self.name, self.calls, self.rtol, self.atol = call, [call], 2e-5, 1e-6
        self.family = call.partition(".")[0] if call.startswith(("ops.", "mint.")) else "Tensor"
        names = {*re.findall(r"(?<![\w.'])[a-z](?![\w('])", written)}
        self.named = {n: parity_calls.ARRAYS[n] for n in sorted(names & set(parity_calls.ARRAYS))}

    def converted(self):
        return False

    def torch(self):
        if "pt." in self.wanted:
            return self.wanted
        return self.calls[0] if self.calls[0].startswith("mint.") else None

    def reference(self):
        if self.torch():
            raise ValueError("the reference is PyTorch's")
        wide = {
            n: a.astype(np.float64) if a.dtype.kind == "f" else a for n, a in self.named.items()
        }
        return eval(self.wanted, {"np": np, **wide})


def _numbered(samples):
    """Yield (name, sample); the name has the operation and the number of its sample."""
    seen = {}
    for sample in samples:
        count = seen[sample.op] = seen.get(sample.op, 0) + 1
        yield sample.op if count == 1 else f"{sample.op}#{count}", sample


def of_samples():
    seen = {}
    for sample in collect("SAMPLES"):
        calls = list(call_forms.calls(sample))
        if not calls:
            continue
        count = seen[str(sample)] = seen.get(str(sample), 0) + 1
        name = str(sample) if count == 1 else f"{sample}#{count}"
        yield Row(parity_edges.family(sample), name, calls, sample)


def of_calls():
    return map(Call, parity_calls.ROWS)


def of_edges():
    """What follows from the samples: see `tests/ops/parity_edges.py`."""
    done = set()
    for name, sample in _numbered(collect("SAMPLES")):
        arrays, family = sample.arrays(np.float32), parity_edges.family(sample)
        for edge in parity_edges.EDGES if family not in parity_edges.LEFT_OUT else ():
            if edge in parity_edges.ONCE and (sample.op, edge) in done:
                continue
            for what, new, messages in edge(sample, arrays):
                done.add((sample.op, edge))
                result = [parity_edges.rewritten(c, messages) for c in call_forms.calls(new, FACES)]
                if calls := [call for call in result if call is not None]:
                    seen = parity_edges.seen(new, messages)
                    yield Row(family, f"{name}/{what}", calls, new, seen, sample)


def families_of_edges():
    """The families that `of_edges` and `of_calls` have rows of."""
    families = {parity_edges.family(sample) for sample in collect("SAMPLES")}
    return sorted(families - parity_edges.LEFT_OUT | {row.family for row in of_calls()})


FILES = {of_samples: "parity", of_calls: "parity_calls", of_edges: "parity_edges"}


def recorded(rows):
    """{row: [check, [[MindSpore's result, calls that returned it], ...], PyTorch's]} of a file."""
    return records.read(FILES[rows])


def is_recorded(row, known):
    """Return True if `known` has a row with these inputs and these calls."""
    entry = known.get(row.name)
    return (
        entry is not None
        and entry[0] == row.check()
        and set(row.calls) == {call for _, calls in entry[1] for call in calls}
    )


def reason(row, call, reasons):
    """Return the first matching entry (row, call, why) of `reasons`, or None."""
    for entry in reasons:
        if fnmatch.fnmatchcase(row.name, entry[0]) and fnmatch.fnmatchcase(call, entry[1]):
            return entry
    return None
