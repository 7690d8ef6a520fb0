"""`mindspore.mint.nn.layer.basic`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_faces import Flatten as Flatten

