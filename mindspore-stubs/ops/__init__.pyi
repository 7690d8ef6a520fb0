"""`mindspore.ops`, as sporax has it; written by tools/write_stubs.py."""

from sporax import Tensor as Tensor
from sporax import constexpr as constexpr
from sporax.autodiff import *
from sporax.compat.private_functions import ControlDepend as ControlDepend
from sporax.ops import *

