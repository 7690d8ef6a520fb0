"""`mindspore.dataset.vision.utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.vision import *
from sporax.data.vision.modes import AutoAugmentPolicy as AutoAugmentPolicy
from sporax.data.vision.modes import Border as Border
from sporax.data.vision.modes import ConvertMode as ConvertMode
from sporax.data.vision.modes import ImageBatchFormat as ImageBatchFormat
from sporax.data.vision.modes import ImageReadMode as ImageReadMode
from sporax.data.vision.modes import Inter as Inter
from sporax.data.vision.modes import SliceMode as SliceMode

