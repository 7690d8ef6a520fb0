"""`mindspore.dataset.core.config`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.config import *

