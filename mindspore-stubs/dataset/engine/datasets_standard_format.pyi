"""`mindspore.dataset.engine.datasets_standard_format`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data import *

