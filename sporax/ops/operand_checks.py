"""Checks of operands that several operations share, for `check` of `declare.op`."""

from sporax.core.errors import describe


def floats_only(name):
    """Return a check that rejects operands other than floating Tensors."""

    def check(*avals):
        for aval in avals:
            if aval.weak or not aval.inexact:
                raise TypeError(
                    f"For '{name}', the input must be a Tensor of a floating dtype, but got "
                    f"{describe(aval)}. Convert it, e.g. with 'astype(mindspore.float32)'."
                )

    return check


def tensors_only(name):
    """Return a check that rejects Python numbers."""

    def check(*avals):
        for aval in avals:
            if aval.weak:
                raise TypeError(
                    f"For '{name}', the input must be a Tensor, but got {describe(aval)}. "
                    "Make it one with 'Tensor(...)'."
                )

    return check
