"""Looking inside: `summary` of a network's Cells, `draw` its graph, `profile` a step; `RunRecord`
of a training, and `write_dashboard` of its page."""

from sporax.insight.dashboard import write_dashboard
from sporax.insight.drawing import Drawing, draw
from sporax.insight.run_record import RunRecord
from sporax.insight.step_profile import CellTime, OperationTime, StepProfile, profile
from sporax.insight.summary import Summary, SummaryRow, summary

__all__ = [
    "CellTime", "Drawing", "OperationTime", "RunRecord", "StepProfile", "Summary", "SummaryRow",
    "draw", "profile", "summary", "write_dashboard",
]  # fmt: skip
