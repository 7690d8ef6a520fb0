"""`mindspore.dataset`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.waited_callback import WaitedDSCallback as WaitedDSCallback
from sporax.data import *
from sporax.data.batch import Batch as BatchDataset
from sporax.data.iterator import TupleIterator as TupleIterator

