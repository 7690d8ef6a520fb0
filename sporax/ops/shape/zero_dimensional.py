"""Operations along axes, of a number that has none."""

import functools
import inspect

import jax


def of_any_rank(fn):
    """Decorator: a number without dimensions is a row of one, of axis 0 or -1, as in PyTorch."""
    signature = inspect.signature(fn)
    first = next(iter(signature.parameters))

    @functools.wraps(fn)
    def run(*operands, **keywords):
        keywords = signature.bind(*operands, **keywords).arguments
        if keywords[first].ndim:
            return fn(**keywords)
        result = fn(**keywords | {first: keywords[first].reshape(1)})
        return jax.tree.map(lambda x: x.reshape(()), result)

    return run
