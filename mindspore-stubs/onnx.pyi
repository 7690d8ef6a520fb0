"""`mindspore.onnx`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.onnx import *

