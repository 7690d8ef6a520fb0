"""`mindspore.numpy.utils_const`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _raise_runtime_error as _raise_runtime_error
from sporax.compat.private import _raise_type_error as _raise_type_error
from sporax.compat.private import _raise_unimplemented_error as _raise_unimplemented_error
from sporax.compat.private import _raise_value_error as _raise_value_error
from sporax.numpy import *

