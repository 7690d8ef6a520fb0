"""The rows of the tests of operations: one module per family, with `SAMPLES` (and `REFUSALS`)."""

import dataclasses
import importlib
import pkgutil
from collections.abc import Callable

import numpy as np

from sporax.ops.declare import OPS
from tests import records

# Operation -> seed of its drawn inputs; those that are not listed have 0. MindSpore's results are
# recorded for these inputs: a renamed operation keeps its seed, and is renamed in this file too.
SEEDS = records.read("seeds")


@dataclasses.dataclass
class Sample:
    """One way of calling an operation.

    `op`: its name in `sporax.ops`. `inputs`: shapes (filled with numbers from `range`) or arrays.
    `ref`: the same in NumPy; it gets float64 arrays and the attributes. `attrs`: keyword arguments.
    `packed`: the operation takes its tensors as one tuple. `names`: the names of its tensors, if
    attributes come before or between them. `sharp`: why derivatives, of first and second order, are
    not compared with finite differences. `outputs`: the differentiated outputs, if not all.
    """

    op: str
    inputs: list
    ref: Callable
    attrs: dict = dataclasses.field(default_factory=dict)
    range: tuple = (-2.0, 2.0)
    rtol: float = 1e-5
    atol: float = 1e-6
    packed: bool = False
    names: list | None = None
    sharp: str = ""
    outputs: tuple | None = None

    def bind(self, namespace):
        """Return the operation with that name, public or not, as a function of its tensors. The
        function refers only to the operation, so that a capture has little to guard."""
        function = getattr(namespace, self.op, None) or OPS[self.op].face()
        names, attrs = self.names, self.attrs
        if names is not None:
            return lambda *xs: function(**dict(zip(names, xs, strict=True)), **attrs)
        if self.packed:
            return lambda *xs: function(xs, **attrs)
        return lambda *xs: function(*xs, **attrs)

    def call(self, namespace, tensors):
        """Return the result for these tensors."""
        return self.bind(namespace)(*tensors)

    def __str__(self):
        shapes = ",".join(str(getattr(i, "shape", i)) for i in self.inputs)
        return f"{self.op}-{shapes}-{self.attrs}".replace(" ", "")

    def arrays(self, dtype):
        """Return the inputs; inputs given as shapes are drawn, in `dtype`, away from ties."""
        rng = np.random.default_rng(SEEDS.get(self.op, 0))
        return [
            i if isinstance(i, np.ndarray) else rng.uniform(*self.range, i).astype(dtype)
            for i in self.inputs
        ]


@dataclasses.dataclass
class Refusal:
    """A call that must be rejected: `call()` raises `error`, whose text contains all of `says`."""

    name: str
    call: Callable
    error: type
    says: tuple

    def __str__(self):
        return self.name


def collect(kind):
    rows = []
    for module in pkgutil.iter_modules(__path__):
        rows += getattr(importlib.import_module(f"{__name__}.{module.name}"), kind, [])
    return rows
