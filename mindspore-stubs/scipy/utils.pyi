"""`mindspore.scipy.utils`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import _nd_transpose as _nd_transpose

