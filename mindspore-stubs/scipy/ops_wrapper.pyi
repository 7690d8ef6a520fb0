"""`mindspore.scipy.ops_wrapper`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_primitives import *

