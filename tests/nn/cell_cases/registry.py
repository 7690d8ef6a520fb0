"""How a question is asked, and the small networks that it is asked of."""

import numpy as np

from tests.case_results import answered

CASES = {}
answer = answered


def case(question):
    CASES[question.__name__] = question
    return question


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
