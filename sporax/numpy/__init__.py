"""What is the operation called in `mindspore.numpy`? Names, no maths.

Here are those that mean there what the operation of the same name in `ops` means.
"""

from sporax import ops
from sporax.core.errors import missing

_SAME = "cos cosh exp exp2 expm1 log log10 log1p log2 sin sinh sqrt square tan tanh"

globals().update({name: getattr(ops, name) for name in _SAME.split()})


def __getattr__(name):
    raise missing("numpy", name)


def __dir__():
    return _SAME.split()
