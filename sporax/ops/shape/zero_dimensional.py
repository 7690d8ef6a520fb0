"""Operations along axes, of a number that has none."""

import functools
import inspect

import jax


def of_any_rank(fn):
    """Decorator: a number without dimensions is a row of one, of axis 0 or -1, as in PyTorch."""
    signature = inspect.signature(fn)
    first = next(iter(signature.parameters))

    @functools.wraps(fn)
    def run(*operands, **given):
        given = signature.bind(*operands, **given).arguments
        if given[first].ndim:
            return fn(**given)
        made = fn(**given | {first: given[first].reshape(1)})
        return jax.tree.map(lambda x: x.reshape(()), made)

    return run
