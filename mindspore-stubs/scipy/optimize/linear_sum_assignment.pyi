"""`mindspore.scipy.optimize.linear_sum_assignment`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.optimize import *

