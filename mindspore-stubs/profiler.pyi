"""`mindspore.profiler`, as sporax has it; written by tools/write_stubs.py."""

from sporax.insight import *
from sporax.insight import Profiler as Profiler
from sporax.insight import mstx as mstx
from sporax.insight import schedule as schedule
from sporax.train.dynamic_profiler import DynamicProfilerMonitor as DynamicProfilerMonitor

