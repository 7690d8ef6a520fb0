"""`mindspore.profiler`, as sporax has it; written by tools/write_stubs.py."""

from sporax.profiler import *
from sporax.profiler import Profiler as Profiler
from sporax.profiler import mstx as mstx
from sporax.profiler import schedule as schedule
from sporax.train.dynamic_profiler import DynamicProfilerMonitor as DynamicProfilerMonitor

