"""`mindspore.ops.auto_generate`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *
from sporax.compat.gradient_primitives import *
from sporax.compat.inner_primitives import *
from sporax.compat.private_primitives import *
from sporax.mint.ext_names import *
from sporax.ops import *

