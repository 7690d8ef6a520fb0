"""`mindspore.profiler`, as sporax has it; written by tools/write_stubs.py."""

from sporax.insight import *
from sporax.insight import Profiler as Profiler

