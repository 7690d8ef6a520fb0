"""Functions that upper rooms give to lower ones, which must not import them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Hooks:
    """`calling_cells`: (frame) -> the Cells that compute on the stack from there, outermost first.
    `cell_path`: (such Cells) -> the path of the innermost one, as messages show it."""

    calling_cells: Callable[[Any], list] = lambda frame: []
    cell_path: Callable[[list], str] = lambda cells: ""


hooks = Hooks()
