"""`mindspore.ops.functional`, as sporax has it; written by tools/write_stubs.py."""

from sporax import constexpr as constexpr
from sporax.autodiff import *
from sporax.compat.private_functions import control_depend as control_depend
from sporax.ops import *

