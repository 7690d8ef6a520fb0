"""What Cells do, as small questions: asked of MindSpore once (`tools/record_cells.py`), and of
sporax in `tests/test_cells.py`. Each takes the namespace `ms` and returns plain data.
"""

from tests.cell_cases import (  # noqa: F401 -- each module adds its cases
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
from tests.cell_cases.asking import CASES, answer

__all__ = ["CASES", "answer"]
