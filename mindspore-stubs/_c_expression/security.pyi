"""`mindspore._c_expression.security`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.security import *

