"""The settings of all data pipelines: `mindspore.dataset.config`.

Each setting `x` of the table (`core.settings`) has a `get_x()` and a `set_x(...)`. All but `seed`
steer MindSpore's threads and processes: they are kept, without effect.
"""

from inspect import Parameter, Signature

from sporax.core import random
from sporax.core.settings import Settings

_SETTINGS = Settings("dataset.config")
_values = _SETTINGS.values
_times = dict.fromkeys(_values, 0)  # the number of calls of each setter


def _getter(name):
    def get():
        return _values[name]

    default = _SETTINGS.table[name].default
    get.__doc__ = f"""The setting `{name}`, {default} by default.

    >>> set_{name}({default}); get_{name}()
    {default}
    """
    return get


def _setter(name):
    default, (kind,), limits, (parameter, *others), _ = _SETTINGS.table[name]
    signature = Signature(
        [Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(other, Parameter.POSITIONAL_OR_KEYWORD, default=None) for other in others]
    )

    def set_to(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs).arguments
        value = arguments.pop(parameter)
        if type(value) is not kind:
            raise TypeError(
                f"For 'set_{name}', '{parameter}' must be {'an int' if limits else 'a bool'}, but "
                f"got {type(value).__name__}."
            )
        if limits and not limits[0] <= value <= limits[1]:
            raise ValueError(
                f"For 'set_{name}', '{parameter}' must be in {limits}, but got {value}."
            )
        for other, what in arguments.items():
            if what is not None:
                raise NotImplementedError(f"sporax has no '{other}' of 'set_{name}'")
        _values[name] = value
        _times[name] += 1

    set_to.__signature__ = signature
    set_to.__doc__ = f"""Let `{name}` be {f"an int in {limits}" if limits else "True or False"}.

    >>> set_{name}({default})
    """
    return set_to


def is_seeded():
    """Whether a seed was set, here or by `mindspore.set_seed`; else orders differ at every run."""
    return _values["seed"] != _SETTINGS.table["seed"].default


def times_seeded():
    """The number of times a seed was set."""
    return _times["seed"]


def _follow(seed):
    _values["seed"] = seed & 0xFFFFFFFF
    _times["seed"] += 1


random._Seed.followers.append(_follow)
if random.get_seed() is not None:
    _follow(random.get_seed())

__all__ = []
for _name in _SETTINGS.table:
    for _prefix, _function in (("get", _getter(_name)), ("set", _setter(_name))):
        _function.__name__ = _function.__qualname__ = f"{_prefix}_{_name}"
        globals()[_function.__name__] = _function
        __all__ += [_function.__name__]
