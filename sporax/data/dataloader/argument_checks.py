"""Checks of the arguments of a `DataLoader` and its samplers."""


def is_a(who, kinds, **arguments):
    """Raise TypeError for an argument of another type; a bool is not an int."""
    kinds = kinds if isinstance(kinds, tuple) else (kinds,)
    for name, value in arguments.items():
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            names = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
            raise TypeError(
                f"For '{who}', '{name}' must be {names}, but got {type(value).__name__}."
            )


def at_least(who, least, **arguments):
    """Raise ValueError for a number below `least`; None passes."""
    for name, value in arguments.items():
        if value is not None and value < least:
            raise ValueError(f"For '{who}', '{name}' must be at least {least}, but got {value}.")


def not_with(who, other, **arguments):
    """Raise ValueError for an argument that is given (True) together with `other`."""
    for name, is_given in arguments.items():
        if is_given:
            raise ValueError(f"For '{who}', '{name}' cannot be given {other}. Leave it out.")
