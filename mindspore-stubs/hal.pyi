"""`mindspore.hal`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.device_memory import *
from sporax.compat.devices import *
from sporax.compat.runtime import *
from sporax.compat.streams import *

