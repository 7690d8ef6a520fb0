"""`Expectation`: operands of a program in a file, and its expected results."""

from typing import NamedTuple

import jax
import numpy as np

from sporax._src.capture.graph_capture.export.exported_graph import compiled_in_bounds
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.verification.agreement import Tolerance
from sporax._src.runtime.numpy_interpreter.comparison import Distance
from sporax.io.corrupt_file import CorruptFile

_GROUPS = "input", "expected"


class Expectation(NamedTuple):
    """`inputs`, `expected`: operands and results of the interpreter, as arrays. `tolerance`: the
    allowed difference of other results."""

    inputs: list
    expected: list
    tolerance: Tolerance

    @property
    def size(self):
        """Bytes of the arrays."""
        return sum(a.nbytes for a in (*self.inputs, *self.expected))

    def stored(self, prefix=""):
        """Return the arrays by their names in a file, such as `{prefix}input/0`."""
        groups = zip(_GROUPS, (self.inputs, self.expected), strict=True)
        return {
            f"{prefix}{group}/{i}": np.asarray(array)
            for group, arrays in groups
            for i, array in enumerate(arrays)
        }

    @classmethod
    def read(cls, tolerance, arrays, prefix=""):
        """Build an `Expectation` from a JSON tolerance and a file's arrays; raises CorruptFile."""
        inputs, expected = (
            [arrays[f"{start}{i}"] for i in range(sum(name.startswith(start) for name in arrays))]
            for start in (f"{prefix}{group}/" for group in _GROUPS)
        )
        precision, steps, spread = tolerance
        spread = None if spread is None else [Distance(float(a), int(b)) for a, b in spread]
        fits = spread is None or len(spread) == len(expected)
        fits = fits and 0 <= float(precision) < 1 and 0 <= int(steps) < 2**40
        require(fits, "tolerance-none", error=CorruptFile)
        return cls(inputs, expected, Tolerance(float(precision), int(steps), spread))

    def difference(self, path, program, arrays=(), options=None):
        """Compile a file's program with these XLA options, run it on the inputs and `arrays`, and
        return the `Difference` from the expected results, or None. Raises RuntimeError if XLA
        rejects the program, or its device is missing."""
        (platform,) = program.platforms
        try:
            device = jax.local_devices(backend=platform)[0]
        except RuntimeError:
            raise rejection("program-device-here", "verify", path=path, platform=platform) from None
        operands = [*self.inputs, *arrays]
        with jax.default_device(device):
            run = compiled_in_bounds("verify", path, program, operands, options)
            results = [np.asarray(x) for x in run(*operands)]
        fits = [(x.shape, x.dtype) for x in results] == [(x.shape, x.dtype) for x in self.expected]
        require(fits, "expect-what-program-returns", "verify", argument=path)
        return self.tolerance.difference(self.expected, results)
