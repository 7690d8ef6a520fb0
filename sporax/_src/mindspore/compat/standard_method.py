"""MindSpore's private module `standard_method`: the methods of a Tensor as functions."""

from sporax._src.core.tensor import Tensor

tensor_bool = bool


def __getattr__(name):
    member = getattr(Tensor, name)
    return member.fget if isinstance(member, property) else member
