"""What all data pipelines go by: `mindspore.dataset.config`.

Each setting `x` of the table has a `get_x()` and a `set_x(...)`.
"""

from sporax.core import random

_MOST = 2**32 - 1

# setting -> (default, the least and the greatest int allowed)
_UNSEEDED = 5489
_SETTINGS = {
    "seed": (_UNSEEDED, 0, _MOST),  # of shuffles and random transforms
    "num_parallel_workers": (2, 1, _MOST),
    "prefetch_size": (16, 1, _MOST),  # batches made ahead
}
_values = {name: default for name, (default, *_) in _SETTINGS.items()}
_times = dict.fromkeys(_SETTINGS, 0)  # how often each was set


def _getter(name):
    def get():
        return _values[name]

    get.__doc__ = f"""The setting `{name}`, {_SETTINGS[name][0]} by default.

    >>> set_{name}(3); get_{name}()
    3
    >>> set_{name}({_SETTINGS[name][0]})
    """
    return get


def _setter(name):
    default, least, most = _SETTINGS[name]

    def set_to(value):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(
                f"For 'set_{name}', '{name}' must be an int, but got {type(value).__name__}."
            )
        if not least <= value <= most:
            raise ValueError(
                f"For 'set_{name}', '{name}' must be in [{least}, {most}], but got {value}."
            )
        _values[name] = value
        _times[name] += 1

    set_to.__doc__ = f"""Let `{name}` be an int in [{least}, {most}].

    >>> set_{name}({default})
    """
    return set_to


def is_seeded():
    """Whether a seed was set, here or by `mindspore.set_seed`; else orders differ at every run."""
    return _values["seed"] != _UNSEEDED


def times_seeded():
    """How often a seed was set."""
    return _times["seed"]


def _follow(seed):
    _values["seed"] = seed & _MOST
    _times["seed"] += 1


random._Seed.followers.append(_follow)
if random.get_seed() is not None:
    _follow(random.get_seed())

__all__ = []
for _name in _SETTINGS:
    for _prefix, _made in (("get", _getter(_name)), ("set", _setter(_name))):
        _made.__name__ = _made.__qualname__ = f"{_prefix}_{_name}"
        globals()[_made.__name__] = _made
        __all__ += [_made.__name__]
