"""Profiling: `Profiler`, `profile` with its `schedule`, `mstx`, and `MsDispatchMode`."""

from sporax._src.workbench.profiler.dispatch_mode import MsDispatchMode
from sporax._src.workbench.profiler.profile import (
    EnvProfiler,
    mstx,
    profile,
    tensorboard_trace_handler,
)
from sporax._src.workbench.profiler.profiler import Profiler
from sporax._src.workbench.profiler.profiler_options import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    schedule,
)

__all__ = [
    "AicoreMetrics",
    "EnvProfiler",
    "ExportType",
    "HostSystem",
    "MsDispatchMode",
    "Profiler",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "mstx",
    "profile",
    "schedule",
    "tensorboard_trace_handler",
]
