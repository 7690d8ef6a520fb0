"""How a question is answered that is asked of MindSpore and of sporax alike."""

ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


def answered(question, ms):
    """What the question gives, asked in the namespace `ms`, or the kind of error it ends in."""
    try:
        return question(ms)
    except ERRORS as error:
        return f"raises {type(error).__name__}"
