"""What `mint.nn` has; written by tools/write_stubs.py."""

from . import functional as functional
from sporax.nn.dropout import Dropout2dExt as Dropout2d
from sporax.nn.dropout import DropoutExt as Dropout
from sporax.nn.mint_layers import AvgPool2dExt as AvgPool2d
from sporax.nn.mint_layers import Conv2d as Conv2d
from sporax.nn.mint_layers import Linear as Linear

