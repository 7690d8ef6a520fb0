"""`mindspore.mint.nn.layer.activation`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_faces import ELU as ELU
from sporax.nn.mint_faces import GLU as GLU
from sporax.nn.mint_faces import LogSigmoid as LogSigmoid
from sporax.nn.mint_faces import SiLU as SiLU
from sporax.nn.mint_faces import Sigmoid as Sigmoid
from sporax.nn.mint_faces import Tanh as Tanh
from sporax.nn.mint_faces import Threshold as Threshold

