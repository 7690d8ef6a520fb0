"""`mindspore.ops.auto_generate`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.gradient_primitives import *
from sporax._src.mindspore.compat.inner_primitives import *
from sporax._src.mindspore.compat.private_primitives import *
from sporax._src.transforms.autodiff import *
from sporax.mint.ext_names import *
from sporax.ops import *

