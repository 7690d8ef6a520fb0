"""`mindspore.scipy.optimize.minimize`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.optimize import *
from sporax.scipy.optimize import OptimizeResults as OptimizeResults

