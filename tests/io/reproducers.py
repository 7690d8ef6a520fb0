"""Files that reproduce a program, with the results of NumPy; and changed ones."""

import os
from types import SimpleNamespace
from unittest import mock

import numpy as np

import sporax as ms
from sporax import ops
from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.core.jax_internals import device_array
from sporax._src.runtime.engine.program import Program
from sporax._src.runtime.engine.verification.agreement import Operands
from sporax._src.runtime.engine.verification.location import Located
from sporax._src.runtime.numpy_interpreter.comparison import Difference
from sporax.io import portable_program, program_file, reproducer

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def located(function, expected, *arrays):
    """Return the `Located` of all operations of a function, as if its program were wrong."""
    listing = Listing("export", "f", function, [ms.Tensor(x) for x in arrays], {}, lambda _, v: v)
    trace, avals = (
        listing.trace,
        [aval for _, rule, _ in listing.trace.steps for aval in rule.avals],
    )
    outputs = tuple(listing.outputs)
    numbers = [
        [SimpleNamespace(array=n) for n in each] for each in (listing.reals, listing.integers)
    ]
    operands = Operands(map(device_array, arrays), *numbers)
    program = Program(trace, avals, outputs, ())
    return Located(
        trace, outputs, operands, expected, program, Difference(0, 1, 12, (0, 0), 1.0, 2.0)
    )


def tanh_sum():
    """Return the `Located` of tanh(x).sum(1)."""
    expected = [np.tanh(X.astype(np.float64)).sum(1).astype(np.float32)]
    return located(lambda x: ops.tanh(x).sum(1), expected, X)


def write(folder, part):
    """Write a reproducer to a folder; return (its path, why there is none)."""
    with mock.patch.dict(os.environ, {reproducer.VARIABLE: str(folder)}):
        return reproducer.write(part)


def write_again(path, change, kind=program_file.REPRODUCER):
    """Rewrite a program's file with its header and arrays changed in place: a well-formed file with
    manipulated content."""
    header, arrays, *_ = program_file.read(path, kind)
    arrays = {name: array.copy() for name, array in arrays.items()}
    change(header, arrays)
    program_file.write(path, kind, header, arrays)


def with_text(change):
    """Return a change of a file's program text."""

    def changed(header, arrays):
        name = portable_program.TEXT
        text = change(arrays[name].tobytes().decode()).encode()
        arrays[name] = np.frombuffer(text, np.uint8)

    return changed
