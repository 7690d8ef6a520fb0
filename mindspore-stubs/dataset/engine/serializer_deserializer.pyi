"""`mindspore.dataset.engine.serializer_deserializer`, as sporax has it; written by tools/write_stubs.py."""

from sporax.data import *

