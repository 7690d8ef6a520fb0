"""`mindspore.common.initializer`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.initializers import *
from sporax._src.initializers.base import Initializer as Initializer
from sporax._src.initializers.constant import Constant as Constant
from sporax._src.initializers.constant import Dirac as Dirac
from sporax._src.initializers.constant import Identity as Identity
from sporax._src.initializers.constant import One as One
from sporax._src.initializers.constant import Zero as Zero
from sporax._src.initializers.random_init import HeNormal as HeNormal
from sporax._src.initializers.random_init import HeUniform as HeUniform
from sporax._src.initializers.random_init import Normal as Normal
from sporax._src.initializers.random_init import Orthogonal as Orthogonal
from sporax._src.initializers.random_init import Sparse as Sparse
from sporax._src.initializers.random_init import TruncatedNormal as TruncatedNormal
from sporax._src.initializers.random_init import Uniform as Uniform
from sporax._src.initializers.random_init import VarianceScaling as VarianceScaling
from sporax._src.initializers.random_init import XavierNormal as XavierNormal
from sporax._src.initializers.random_init import XavierUniform as XavierUniform

