"""Profiling: `Profiler`."""

from sporax.insight.profiler import Profiler

__all__ = ["Profiler"]
