"""Looking inside: `summary` of a network's Cells."""

from sporax.insight.summary import Summary, SummaryRow, summary

__all__ = ["Summary", "SummaryRow", "summary"]
