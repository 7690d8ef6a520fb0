"""Test vectors of exported functions: random inputs, and the interpreter's results for them.

The function is recorded again, for known sizes, and its operations are run by NumPy: the expected
results depend on neither `jax.export` nor XLA.
"""

import math

import numpy as np

from sporax._src.capture.graph_capture.graph_text import Listing
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_tensors, tensors_of
from sporax._src.core.units import bytes_text
from sporax._src.core.value import UnknownShape
from sporax._src.runtime.engine.verification.agreement import Tolerance
from sporax._src.runtime.numpy_interpreter.interpretation import steps_and_inputs
from sporax._src.runtime.numpy_interpreter.plans import Unsupported
from sporax._src.runtime.numpy_interpreter.polymorphic_plan import plan_for_these_sizes
from sporax.io.expectation import Expectation

COUNT = 2
MOST_BYTES = 2**21  # of all vectors of a file
MOST_WORK = 3 * 10**8  # see `Plan.work`; about a second, including the runs for rounding
_SIZES = (1, 3), (3, 5), (2, 32), (1, 224)  # tried in order: along axis 0, along other axes
# exceptions of a function that does not support some sizes
_OTHER_SIZES = IndexError, NotImplementedError, RuntimeError, TypeError, ValueError


class _TooMuch(Exception):
    """Raised if arrays are too large or the interpreter would take too long."""


def vectors(name, function, inputs):
    """Return (`Expectation`s of `function(*inputs)`, reason why there are fewer than `COUNT`)."""
    is_sized = not any(isinstance(t._value, UnknownShape) for t in tensors_of(inputs))
    expectations, reason, size, work = [], "", 0, 0
    random = np.random.default_rng(0)
    for sizes in [(1, 1)] * COUNT if is_sized else _SIZES:
        try:
            vector, done = _vector(name, function, inputs, sizes, random, MOST_WORK - work)
        except Unsupported as missing:
            return [], f"the interpreter has no rule for '{missing}'"
        except _TooMuch as error:
            return expectations, str(error)
        except _OTHER_SIZES as error:
            reason = f"for inputs of the sizes {sizes}: {type(error).__name__}: {error}"
            continue
        size, work = size + vector.size, work + done
        if size > MOST_BYTES:
            return expectations, f"inputs and results take {bytes_text(size)}"
        expectations.append(vector)
        if len(expectations) == COUNT:
            return expectations, ""
    return expectations, reason


def _vector(name, function, inputs, sizes, random, most_work):
    """Return (`Expectation` for random inputs, with `sizes` for unknown sizes; multiplications of a
    run)."""
    avals = [t._value.aval for t in tensors_of(inputs)]
    size = sum(math.prod(_shape(a, sizes)) * a.dtype.itemsize for a in avals)
    if size > MOST_BYTES:
        raise _TooMuch(f"inputs take {bytes_text(size)}")
    given = map_tensors(lambda tensor: _random(tensor, sizes, random), inputs)
    listing = Listing("export", name, function, given, {})
    arrays = [np.asarray(t._value.read()) for t in tensors_of(given)]
    captured = [np.asarray(i.read()) for i in listing.inputs if i.kind != "argument"]
    numbers = [*map(np.float64, listing.reals), *map(np.int64, listing.integers)]
    trace, outputs = listing.trace, tuple(listing.outputs)
    plan = plan_for_these_sizes(*steps_and_inputs(trace), outputs)
    if plan.work > most_work:
        raise _TooMuch(f"the interpreter would have to do {plan.work:.0e} multiplications")
    operands = [*arrays, *captured, *numbers, *map(np.asarray, trace.constants)]
    expected = [np.asarray(result) for result in plan(*operands)]
    tolerance = Tolerance.for_trace(trace).measured(trace, outputs, operands, expected)
    return Expectation(arrays, expected, tolerance), plan.work


def _shape(aval, sizes):
    return [n if n >= 0 else sizes[min(k, 1)] for k, n in enumerate(aval.shape)]


def _random(tensor, sizes, random):
    """Return a Tensor of random elements; integers are 0 or 1, since they may be indices."""
    aval = tensor._value.aval
    shape = _shape(aval, sizes)
    if aval.dtype.kind in "biu":
        array = random.integers(0, 2, shape)
    else:
        array = random.normal(size=shape)
    if aval.dtype.kind == "c":
        array = array + 1j * random.normal(size=shape)
    return Tensor(np.asarray(array).astype(aval.dtype))
