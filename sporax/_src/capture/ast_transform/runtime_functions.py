"""Registry of the functions that converted source calls.

Converted code has `RUNTIME` as a constant: `if` becomes `RUNTIME.branch(...)`.
"""

from sporax._src.capture.staging import graph_break


class RuntimeFunctions:
    """Holds each registered function as an attribute."""


RUNTIME = RuntimeFunctions()


def runtime_function(cause=None):
    """Register the decorated function for converted code.

    `cause`: explanation of graph breaks in it, from `staging.graph_break`.
    """

    def register(function):
        setattr(RUNTIME, function.__name__, function)
        if cause is not None:
            graph_break.CAUSES[function.__name__] = cause
        return function

    return register
