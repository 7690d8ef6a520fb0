"""`mindspore.dataset.transforms.transforms`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.operation import PyTensorOperation as PyTensorOperation
from sporax.data.transforms import *
from sporax.data.transforms import Compose as Compose
from sporax.data.transforms import Concatenate as Concatenate
from sporax.data.transforms import Duplicate as Duplicate
from sporax.data.transforms import Fill as Fill
from sporax.data.transforms import Mask as Mask
from sporax.data.transforms import OneHot as OneHot
from sporax.data.transforms import PadEnd as PadEnd
from sporax.data.transforms import RandomApply as RandomApply
from sporax.data.transforms import RandomChoice as RandomChoice
from sporax.data.transforms import RandomOrder as RandomOrder
from sporax.data.transforms import Relational as Relational
from sporax.data.transforms import Slice as Slice
from sporax.data.transforms import TypeCast as TypeCast
from sporax.data.transforms import Unique as Unique

