"""`mindspore.rewrite`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.rewrite import *

