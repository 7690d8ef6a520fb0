"""`mindspore.common.api`, as sporax has it; written by tools/write_stubs.py."""

from sporax import jit as ms_function
from sporax import jit_class as jit_class
from sporax import jit_class as ms_class
from sporax._src.capture.graph_capture.executors import *
from sporax._src.capture.graph_capture.jit import *
from sporax._src.transforms.autodiff import *

