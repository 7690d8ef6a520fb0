"""The error for a file that is damaged or of another format."""

from sporax._src.diagnosis.rules import message


class CorruptFile(Exception):
    """Raised if a file is truncated or violates its format. `remedy`: what the user can do, a
    phrase."""

    def __init__(self, reason, remedy="take-an-intact-copy"):
        super().__init__(reason)
        self.remedy = message(remedy)


def rejection(rule, remedy="take-an-intact-copy", /, **fields):
    """Return the `CorruptFile` of a rule, to be raised."""
    return CorruptFile(message(rule, **fields), remedy)


def require(holds, rule, remedy="take-an-intact-copy", /, **fields):
    """Raise the `CorruptFile` of a rule unless it `holds`."""
    if not holds:
        raise rejection(rule, remedy, **fields)
