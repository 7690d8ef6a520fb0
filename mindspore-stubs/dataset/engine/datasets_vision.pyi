"""`mindspore.dataset.engine.datasets_vision`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data import *

