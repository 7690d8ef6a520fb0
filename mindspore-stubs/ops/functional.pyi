"""`mindspore.ops.functional`, as sporax has it; written by tools/write_stubs.py."""

from sporax import constexpr as constexpr
from sporax import ops as P
from sporax import ops as array_ops
from sporax import ops as auto_generate
from sporax import ops as linalg_ops
from sporax import ops as other_ops
from sporax._src.mindspore.compat.private_functions import control_depend as control_depend
from sporax._src.transforms.autodiff import *
from sporax.mint.ext_names import *
from sporax.ops import *

