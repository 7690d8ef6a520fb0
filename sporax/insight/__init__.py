"""Looking inside: `summary` of a network's Cells, `draw` its graph, `profile` a step."""

from sporax.insight.drawing import Drawing, draw
from sporax.insight.step_profile import CellTime, OperationTime, StepProfile, profile
from sporax.insight.summary import Summary, SummaryRow, summary

__all__ = [
    "CellTime", "Drawing", "OperationTime", "StepProfile", "Summary", "SummaryRow", "draw",
    "profile", "summary",
]  # fmt: skip
