"""`mindspore._c_expression`, as sporax has it; written by tools/write_stubs.py."""

from sporax import Tensor as Tensor
from sporax import Tensor as TensorPy
from sporax.initializers.seeded import random_normal as _random_normal
from sporax.initializers.seeded import random_uniform as _random_uniform
from sporax.initializers.seeded import truncated_normal as _truncated_normal

