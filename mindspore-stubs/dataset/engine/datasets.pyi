"""`mindspore.dataset.engine.datasets`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _set_training_dataset as _set_training_dataset
from sporax.data import *
from sporax.data.batch import Batch as BatchDataset

