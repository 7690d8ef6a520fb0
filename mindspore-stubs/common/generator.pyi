"""`mindspore.common.generator`, as sporax has it; written by tools/write_stubs.py."""

from sporax import *
from sporax.core.random import *

