"""`mindspore._c_expression.security`: the build option that suppresses prints and dumps."""


def enable_security():
    """Return False: this build does not suppress output that could show data.

    >>> enable_security()
    False
    """
    return False
