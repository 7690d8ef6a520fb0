"""`mindspore.common._stub_tensor`, as sporax has it; written by tools/write_stubs.py."""

from sporax.core.tensor import *

