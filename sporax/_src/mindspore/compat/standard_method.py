"""MindSpore's private module `standard_method`: the methods of a Tensor as functions."""

from sporax._src.core.tensor import Tensor

tensor_bool = bool


def __getattr__(name):
    return getattr(Tensor, name)
