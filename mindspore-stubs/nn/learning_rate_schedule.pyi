"""`mindspore.nn.learning_rate_schedule`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn import *
from sporax.nn.learning_rate_schedule import *

