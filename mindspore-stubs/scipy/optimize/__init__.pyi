"""`mindspore.scipy.optimize`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.optimize import *
from sporax.scipy.optimize import linear_sum_assignment as linear_sum_assignment
from sporax.scipy.optimize import minimize as minimize

