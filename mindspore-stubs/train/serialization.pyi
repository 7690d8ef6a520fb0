"""`mindspore.train.serialization`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import _get_funcgraph as _get_funcgraph
from sporax.io import *

