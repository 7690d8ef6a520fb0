"""`mindspore.dataset.transforms.transforms`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.transforms import *

