"""`mindspore.parallel._ps_context`, as sporax has it; written by tools/write_stubs.py."""

from sporax.compat.private import _is_role_pserver as _is_role_pserver
from sporax.distributed import *

