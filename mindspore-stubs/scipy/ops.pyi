"""`mindspore.scipy.ops`, as sporax has it; written by tools/write_stubs.py."""

from sporax.scipy.ops import *
from sporax.scipy.ops import Eig as Eig
from sporax.scipy.ops import LinearSumAssignment as LinearSumAssignment

