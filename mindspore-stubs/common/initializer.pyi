"""`mindspore.common.initializer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.initializers import *
from sporax.initializers.base import Initializer as Initializer
from sporax.initializers.constant import Constant as Constant
from sporax.initializers.constant import Dirac as Dirac
from sporax.initializers.constant import Identity as Identity
from sporax.initializers.constant import One as One
from sporax.initializers.constant import Zero as Zero
from sporax.initializers.random_init import HeNormal as HeNormal
from sporax.initializers.random_init import HeUniform as HeUniform
from sporax.initializers.random_init import Normal as Normal
from sporax.initializers.random_init import Orthogonal as Orthogonal
from sporax.initializers.random_init import Sparse as Sparse
from sporax.initializers.random_init import TruncatedNormal as TruncatedNormal
from sporax.initializers.random_init import Uniform as Uniform
from sporax.initializers.random_init import VarianceScaling as VarianceScaling
from sporax.initializers.random_init import XavierNormal as XavierNormal
from sporax.initializers.random_init import XavierUniform as XavierUniform

