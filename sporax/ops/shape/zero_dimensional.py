"""Operations along axes, applied to 0-d tensors."""

import functools
import inspect

import jax


def of_any_rank(fn):
    """Decorator: a 0-d tensor counts as a vector of one element, of axis 0 or -1."""
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
