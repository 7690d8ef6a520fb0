"""A Cell has what the engine reads of it."""

from typing import get_type_hints

from sporax import nn
from sporax._src.core.cell_tree import CellProtocol, is_cell


def test_a_cell_follows_the_protocol():
    cell = nn.Dense(2, 3)
    methods = [name for name, item in vars(CellProtocol).items() if callable(item)]
    methods = {name for name in methods if name.startswith("_") and hasattr(nn.Cell, name)}
    assert {"_run_construct", "_captured_names", "_captured_state"} <= methods
    assert not [name for name in get_type_hints(CellProtocol) if not hasattr(cell, name)]
    assert is_cell(cell)
    assert not is_cell(nn.Dense)
