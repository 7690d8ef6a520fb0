"""`mindspore.tools`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.runtime import *
from sporax._src.mindspore.compat.runtime import set_dump as set_dump

