"""`mindspore.scipy.ops_wrapper`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private_primitives import *

