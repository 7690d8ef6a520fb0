"""What did the time go to? `Profiler`."""

from sporax.insight.profiler import Profiler

__all__ = ["Profiler"]
