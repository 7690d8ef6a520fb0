"""Runs a case under MindSpore or sporax: its result, or the type of its error."""

ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def result_or_error(case, ms):
    """Return the result of the case in the namespace `ms`, or the type of the error it raises."""
    try:
        return case(ms)
    except ERRORS as error:
        return f"raises {type(error).__name__}"
