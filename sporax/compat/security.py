"""`mindspore._c_expression.security`, whether this build suppresses prints and dumps."""


def enable_security():
    """Whether this build suppresses output that could show data: no.

    >>> enable_security()
    False
    """
    return False
