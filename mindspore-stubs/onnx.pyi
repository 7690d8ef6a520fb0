"""`mindspore.onnx`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.onnx import *

