"""The functions that converted source calls, registered where they are defined.

Converted code has `RUNTIME` as a constant: `if` in source becomes `RUNTIME.branch(...)`.
"""

from sporax.staging import graph_break


class RuntimeFunctions:
    """Has each registered function as an attribute."""


RUNTIME = RuntimeFunctions()


def runtime_function(cause=None):
    """Register the decorated function for converted code.

    `cause`: the explanation of a graph break in it, from `staging.graph_break`.
    """

    def register(function):
        setattr(RUNTIME, function.__name__, function)
        if cause is not None:
            graph_break.CAUSES[function.__name__] = cause
        return function

    return register
