"""What is known of classes, as long as they exist."""

import functools
from weakref import WeakKeyDictionary


def cached_by_class(function):
    """A function of a class, computed once for each; unlike `functools.cache`, it keeps none: what
    a notebook's cell defines goes when the cell runs again."""
    results = WeakKeyDictionary()

    @functools.wraps(function)
    def cached(kind):
        result = results.get(kind, results)
        if result is results:
            result = results[kind] = function(kind)
        return result

    return cached
