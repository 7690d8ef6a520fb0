"""`mindspore.ops.auto_generate.pyboost_inner_prim`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.generated_functions import *

