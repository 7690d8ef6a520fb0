"""`mindspore.common.dtype`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.core.dtype import *
from sporax.ops.frontend.types import TensorType as TensorType

