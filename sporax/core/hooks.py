"""Callbacks that higher-level packages register for lower-level ones, which cannot import them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Hooks:
    """`calling_cells`: (frame) -> the Cells called on the stack up to that frame, outermost first.
    `cell_path`: (those Cells) -> the path of the innermost one, for messages."""

    calling_cells: Callable[[Any], list] = lambda frame: []
    cell_path: Callable[[list], str] = lambda cells: ""


hooks = Hooks()
