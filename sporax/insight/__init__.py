"""Inspection tools: `summary` of a network's Cells, `draw` for its graph, `profile` for a step,
`sporax.memory_plan` for its memory, `RunRecord` for training runs, and `write_dashboard` for their
page."""

from sporax.insight.dashboard import write_dashboard
from sporax.insight.drawing import Drawing, draw
from sporax.insight.memory_plan import Fit, MemoryPlan, PlanRow
from sporax.insight.run_record import RunRecord
from sporax.insight.step_profile import CellTime, OperationTime, StepProfile, profile
from sporax.insight.summary import Summary, SummaryRow, summary

__all__ = [
    "CellTime", "Drawing", "Fit", "MemoryPlan", "OperationTime", "PlanRow", "RunRecord",
    "StepProfile", "Summary", "SummaryRow", "draw", "profile", "summary",
    "write_dashboard",
]  # fmt: skip
