"""`mindspore.ops.primitive`, as sporax has it; written by tools/write_stubs.py."""

from sporax import constexpr as constexpr
from sporax.autodiff import *
from sporax.engine.marking import _primexpr as _primexpr
from sporax.ops import *

