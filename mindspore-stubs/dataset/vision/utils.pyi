"""`mindspore.dataset.vision.utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data.vision import *
from sporax.data.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from sporax.data.vision.enums import Border as Border
from sporax.data.vision.enums import ConvertMode as ConvertMode
from sporax.data.vision.enums import ImageBatchFormat as ImageBatchFormat
from sporax.data.vision.enums import ImageReadMode as ImageReadMode
from sporax.data.vision.enums import Inter as Inter
from sporax.data.vision.enums import SliceMode as SliceMode
from sporax.data.vision.video import VideoDecoder as VideoDecoder

