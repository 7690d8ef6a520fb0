"""`mindspore.mint.nn.layer.activation`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_functional_layers import ELU as ELU
from sporax.nn.mint_functional_layers import GLU as GLU
from sporax.nn.mint_functional_layers import LogSigmoid as LogSigmoid
from sporax.nn.mint_functional_layers import SiLU as SiLU
from sporax.nn.mint_functional_layers import Sigmoid as Sigmoid
from sporax.nn.mint_functional_layers import Tanh as Tanh
from sporax.nn.mint_functional_layers import Threshold as Threshold

