"""`mindspore.profiler`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.workbench.profiler import *
from sporax._src.workbench.profiler import Profiler as Profiler
from sporax._src.workbench.profiler import mstx as mstx
from sporax._src.workbench.profiler import schedule as schedule
from sporax.train.dynamic_profiler import DynamicProfilerMonitor as DynamicProfilerMonitor

