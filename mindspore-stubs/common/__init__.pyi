"""`mindspore.common`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax import jit as ms_function
from sporax import lazy_inline as lazy_inline
from sporax import mutable as mutable
from sporax import no_inline as no_inline
from sporax import recompute as recompute
from sporax import seed as seed
from sporax import tensor as tensor

