"""What Cells do, as small questions: asked of MindSpore once (`tools/record_cells.py`), and of
sporax in `tests/nn/test_cells.py`. Each takes the namespace `ms` and returns plain data.
"""

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
from tests.nn.cell_cases.registry import CASES, answer

__all__ = ["CASES", "answer"]
