"""Checks of the arguments of a `DataLoader` and its samplers."""

from sporax.diagnosis.rules import rejection, require


def is_a(who, kinds, **arguments):
    """Raise TypeError for an argument of another type; a bool is not an int."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    for name, value in arguments.items():
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
            raise rejection(
                "must-be-argument-type-argument-checks", who, argument=name, value=names, got=value
            )


def at_least(who, least, **arguments):
    """Raise ValueError for a number below `least`; None passes."""
    for name, value in arguments.items():
        require(value is None or value >= least, "at-least", who, argument=name, n=least, got=value)


def not_with(who, other, **arguments):
    """Raise ValueError for an argument that is given (True) together with `other`."""
    for name, is_given in arguments.items():
        require(not is_given, "cannot-given", who, argument=name, other=other)
