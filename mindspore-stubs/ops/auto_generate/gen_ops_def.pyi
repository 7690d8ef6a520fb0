"""`mindspore.ops.auto_generate.gen_ops_def`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *
from sporax.ops import *

