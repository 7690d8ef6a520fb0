"""What holds weights? Cells: the base class, containers, layers, losses and training steps."""

from sporax.nn.cell import Cell
from sporax.nn.container import CellDict, CellList, SequentialCell
from sporax.nn.wrap import (
    ForwardValueAndGrad,
    TrainOneStepCell,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)

__all__ = [
    "Cell",
    "CellDict",
    "CellList",
    "ForwardValueAndGrad",
    "SequentialCell",
    "TrainOneStepCell",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
