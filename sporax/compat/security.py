"""`mindspore._c_expression.security`, which scripts ask whether prints and dumps are left out."""


def enable_security():
    """Whether this build leaves out whatever could show data: no.

    >>> enable_security()
    False
    """
    return False
