"""`mindspore.hal`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.device_memory import *
from sporax._src.mindspore.compat.devices import *
from sporax._src.mindspore.compat.runtime import *
from sporax._src.mindspore.compat.streams import *

