"""`mindspore.common.parameter`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.core.parameter import *
from sporax._src.core.parameter import Parameter as Parameter
from sporax.nn.parameter_tuple import *
from sporax.nn.parameter_tuple import ParameterTuple as ParameterTuple

