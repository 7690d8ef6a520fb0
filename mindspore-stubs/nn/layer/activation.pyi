"""`mindspore.nn.layer.activation`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.activation import _BY_NAME as _activation

