"""`mindspore.ops._tracefunc`, as sporax has it; written by tools/write_stubs.py."""

from sporax.autodiff import *

