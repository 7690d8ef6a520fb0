"""`mindspore.common.parameter`, as sporax has it; written by tools/write_stubs.py."""

from sporax.core.parameter import *
from sporax.core.parameter import Parameter as Parameter
from sporax.core.parameter import ParameterTuple as ParameterTuple

