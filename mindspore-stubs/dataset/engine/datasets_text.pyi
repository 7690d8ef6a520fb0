"""`mindspore.dataset.engine.datasets_text`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data import *

