"""`mindspore.multiprocessing`, as sporax has it; written by tools/write_stubs.py."""

from multiprocessing import *

