"""`mindspore.train`, as sporax has it; written by tools/write_stubs.py."""

from sporax.amp import *
from sporax.io import *
from sporax.train import *
from sporax.train.data_sink import data_sink as data_sink

