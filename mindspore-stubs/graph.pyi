"""`mindspore.graph`, as sporax has it; written by tools/write_stubs.py."""

from sporax import lazy_inline as lazy_inline

