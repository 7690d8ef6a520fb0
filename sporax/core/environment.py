"""The environment variables that switch something on or off."""

import os


def choice(variable, *allowed):
    """The value of an environment variable, one of `allowed`; the first where it is not set, or
    empty. Raises ValueError for another."""
    value = os.environ.get(variable) or allowed[0]
    if value not in allowed:
        raise ValueError(
            f"The environment variable {variable} must be {' or '.join(map(repr, allowed))}, but "
            f"got {value!r}."
        )
    return value
