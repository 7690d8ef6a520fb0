"""What may be written inside `jit`, as rows; see `tests/graph_capture/syntax_rows/row.py`."""

from tests.graph_capture.syntax_rows import (  # noqa: F401, I001 -- each module adds its rows, in this order
    values,
    sequences,
    mappings,
    objects,
    operators,
    assignments,
    statements,
    branches,
    loops,
    functions,
    comprehensions,
    keywords,
    conversions,
    builtins,
    other_builtins,
    libraries,
    classes,
    state,
    views,
    derivatives,
)
from tests.graph_capture.syntax_rows.row import ROWS

__all__ = ["ROWS"]
