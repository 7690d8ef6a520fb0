"""`Rejected`: a request that is rejected, with the status of the response."""

from sporax._src.diagnosis.rules import message


class Rejected(Exception):
    """A rejected request; `status`: of HTTP; its argument is the rule's message."""

    status = 400


def rejected(status, rule, **fields):
    """Return the `Rejected` of a rule, to be raised."""
    error = Rejected(message(rule, **fields))
    error.status = status
    return error
