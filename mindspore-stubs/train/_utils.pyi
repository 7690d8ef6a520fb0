"""`mindspore.train._utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _make_directory as _make_directory

