"""`mindspore._extends`, as sporax has it; written by tools/write_stubs.py."""

from sporax.engine.marking import *

