"""`Rejected`: a request that is rejected, with the status of the response."""

from sporax._src.diagnosis.rules import message


class Rejected(Exception):
    """A rejected request; `status`: of HTTP; the text is the rule's, with its fields."""

    def __init__(self, status, rule, **fields):
        super().__init__(message(rule, **fields))
        self.status = status
