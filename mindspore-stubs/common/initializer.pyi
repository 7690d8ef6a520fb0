"""`mindspore.common.initializer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.initializers import *
from sporax.initializers.base import Initializer as Initializer
from sporax.initializers.fixed import Constant as Constant
from sporax.initializers.fixed import Dirac as Dirac
from sporax.initializers.fixed import Identity as Identity
from sporax.initializers.fixed import One as One
from sporax.initializers.fixed import Zero as Zero
from sporax.initializers.random import HeNormal as HeNormal
from sporax.initializers.random import HeUniform as HeUniform
from sporax.initializers.random import Normal as Normal
from sporax.initializers.random import Orthogonal as Orthogonal
from sporax.initializers.random import Sparse as Sparse
from sporax.initializers.random import TruncatedNormal as TruncatedNormal
from sporax.initializers.random import Uniform as Uniform
from sporax.initializers.random import VarianceScaling as VarianceScaling
from sporax.initializers.random import XavierNormal as XavierNormal
from sporax.initializers.random import XavierUniform as XavierUniform

