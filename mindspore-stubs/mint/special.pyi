"""`mindspore.mint.special`, as sporax has it; written by tools/write_stubs.py."""

from sporax.mint.special import *

