"""`mindspore.nn.layer.activation`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.activation import CELU as CELU
from sporax.nn.activation import ELU as ELU
from sporax.nn.activation import FastGelu as FastGelu
from sporax.nn.activation import GELU as GELU
from sporax.nn.activation import HShrink as HShrink
from sporax.nn.activation import HSigmoid as HSigmoid
from sporax.nn.activation import HSwish as HSwish
from sporax.nn.activation import Hardtanh as Hardtanh
from sporax.nn.activation import LeakyReLU as LeakyReLU
from sporax.nn.activation import LogSigmoid as LogSigmoid
from sporax.nn.activation import LogSoftmax as LogSoftmax
from sporax.nn.activation import Mish as Mish
from sporax.nn.activation import PReLU as PReLU
from sporax.nn.activation import ReLU as ReLU
from sporax.nn.activation import ReLU6 as ReLU6
from sporax.nn.activation import SiLU as SiLU
from sporax.nn.activation import Sigmoid as Sigmoid
from sporax.nn.activation import SoftShrink as SoftShrink
from sporax.nn.activation import Softmax as Softmax
from sporax.nn.activation import Softmax2d as Softmax2d
from sporax.nn.activation import Softmin as Softmin
from sporax.nn.activation import Softsign as Softsign
from sporax.nn.activation import Tanh as Tanh
from sporax.nn.activation import Threshold as Threshold
from sporax.nn.activation import _BY_NAME as _activation
from sporax.nn.dropout import RReLU as RReLU
from sporax.nn.functional_layers import GLU as GLU
from sporax.nn.functional_layers import LRN as LRN
from sporax.nn.functional_layers import SeLU as SeLU
from sporax.nn.functional_layers import Tanhshrink as Tanhshrink
from sporax.nn.mint_layers import PReLUExt as PReLUExt

