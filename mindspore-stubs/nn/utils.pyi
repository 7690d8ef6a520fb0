"""`mindspore.nn.utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import no_init_parameters as no_init_parameters
from sporax.nn import *

