"""The registry of cases, and the small networks that they use."""

import numpy as np

CASES = {}


def case(run_case):
    CASES[run_case.__name__] = run_case
    return run_case


def parameter(ms, *name, **options):
    return ms.Parameter(ms.Tensor(np.ones((2,), np.float32)), *name, **options)


def leaf(ms, name=None, **options):
    """A cell with one Parameter `w`."""

    class Leaf(ms.nn.Cell):
        def __init__(self):
            super().__init__(**options)
            self.w = parameter(ms, *(() if name is None else (name,)))

        def construct(self, x):
            return x * self.w

    return Leaf()


def bare(ms, **options):
    return ms.nn.Cell(**options)


def names(cell):
    return [[path, p.name] for path, p in cell.parameters_and_names()]


def paths(cell):
    return [[path, type(c).__name__] for path, c in cell.cells_and_names()]


def kind(value):
    return type(value).__name__
