"""Behaviour of Cells as small cases: run by MindSpore once (`tools.record cells`), and by sporax
in `tests/nn/test_cells.py`. Each takes the namespace `ms` and returns plain data."""

from tests.case_results import result_or_error
from tests.nn.cell_cases import (  # noqa: F401 -- each module adds its cases
    attributes,
    buffers,
    colliding,
    containers,
    modes,
    naming,
    parameters,
    precision,
    training,
)
from tests.nn.cell_cases.registry import CASES

__all__ = ["CASES", "result_or_error"]
