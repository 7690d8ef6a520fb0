"""Checks of operands that several operations share: of their dtypes, for `check` of `declare.op`,
and of their shapes."""

import jax.numpy as jnp

from sporax._src.core.dtype import from_numpy
from sporax._src.core.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require

TENSOR = kinds.instance(Tensor, "a-tensor")


def floats_only(name):
    """Return a check that rejects operands other than floating Tensors."""

    def check(*avals):
        for aval in avals:
            fits = not aval.weak and aval.inexact
            require(fits, "input-tensor-floating-dtype", name, got=describe(aval))

    return check


def tensors_only(name):
    """Return a check that rejects Python numbers."""

    def check(*avals):
        for aval in avals:
            require(not aval.weak, "input-no-python-number", name, got=describe(aval))

    return check


def require_integers(who=None, /, **arrays):
    """Raise TypeError for an array of another dtype than integers."""
    for name, array in arrays.items():
        if not jnp.issubdtype(array.dtype, jnp.integer):
            dtype = from_numpy(array.dtype)
            raise rejection("integer-dtype", who, argument=name, got=dtype)


def require_number(who, /, **avals):
    """Raise ValueError for an abstract value of more than one number."""
    for name, aval in avals.items():
        require(aval.shape in ((), (1,)), "one-number", who, argument=name, got=describe(aval))


def require_shapes(who=None, /, **operands):
    """Raise ValueError unless the shapes are as the letters say: `x=(x, "N C *"), target=(y, "N")`.

    A letter or word is the same size wherever it occurs, a number is that size, `*` the same axes
    and `...` any axes; ` | ` separates alternatives. An operand may be None.
    """
    sizes, given = {}, {n: pair for n, pair in operands.items() if pair[0] is not None}
    if all(_fits(tuple(x.shape), letters, sizes) for x, letters in given.values()):
        return
    shapes = [tuple(x.shape) for x, _ in given.values()]
    wanted = [
        message("shape-or", shapes=[f"({_joined(one.split())})" for one in letters.split("|")])
        for _, letters in given.values()
    ]
    if len(given) == 1:
        (name,), (letters,), (shape,) = given, wanted, shapes
        raise rejection("shape-letters", who, argument=name, letters=letters, got=shape)
    names = [f"'{name}'" for name in given]
    raise rejection("shapes-letters", who, names=names, letters=wanted, got=shapes)


def require_planes(who, axes, **operands):
    """Raise ValueError for operands other than (N, C, *) and (C, *) with so many last axes."""
    letters = " ".join("DHW"[-axes:])
    either = f"N C {letters} | C {letters}"
    require_shapes(who, **{name: (x, either) for name, x in operands.items()})


def _joined(letters):
    return ", ".join(letters) + "," * (len(letters) == 1)


def _fits(shape, alternatives, sizes):
    """Return True if a shape is as one of the alternatives says, whose sizes are then noted."""
    for letters in alternatives.split("|"):
        noted = dict(sizes)
        if _is(shape, letters.split(), noted):
            sizes.update(noted)
            return True
    return False


def _is(shape, letters, sizes):
    for i, letter in enumerate(letters):
        if letter in ("*", "..."):  # one item for these axes
            end = len(shape) - len(letters) + i + 1
            if end < i:
                return False
            shape = (*shape[:i], shape[i:end], *shape[end:])
    return len(shape) == len(letters) and all(
        letter == "..." or size == sizes.setdefault(letter, _number(letter, size))
        for size, letter in zip(shape, letters, strict=True)
    )


def _number(letter, size):
    """Return the number that a letter is, or `size`."""
    try:
        return int(letter)
    except ValueError:
        return size
