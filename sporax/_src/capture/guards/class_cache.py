"""A cache by class that does not keep the classes alive."""

import functools
from weakref import WeakKeyDictionary


def cached_by_class(function):
    """Cache a function of a class. Unlike `functools.cache`, it keeps no class alive: classes of a
    notebook cell are freed when the cell runs again."""
    results = WeakKeyDictionary()

    @functools.wraps(function)
    def cached(kind):
        result = results.get(kind, results)
        if result is results:
            result = results[kind] = function(kind)
        return result

    return cached
