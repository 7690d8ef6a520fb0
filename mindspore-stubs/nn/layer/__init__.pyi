"""`mindspore.nn.layer`, as sporax has it; written by tools/write_stubs.py."""

from sporax._src.mindspore.compat.private_functions import CosineSimilarity as CosineSimilarity
from sporax._src.optim import *
from sporax.nn import *
from sporax.train import *

