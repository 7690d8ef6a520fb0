"""Checks of operands that several operations share, for `check` of `declare.op`."""

from sporax.core.errors import describe
from sporax.diagnosis.rules import require


def floats_only(name):
    """Return a check that rejects operands other than floating Tensors."""

    def check(*avals):
        for aval in avals:
            require(
                not aval.weak and aval.inexact,
                "input-tensor-floating-dtype",
                name,
                got=describe(aval),
            )

    return check


def tensors_only(name):
    """Return a check that rejects Python numbers."""

    def check(*avals):
        for aval in avals:
            require(
                not aval.weak, "input-tensor-argument-type-operand-checks", name, got=describe(aval)
            )

    return check
