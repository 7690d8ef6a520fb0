"""The settings of all data pipelines: `mindspore.dataset.config`.

Each setting `x` of the table has a `get_x()` and a `set_x(...)`. All but `seed` steer MindSpore's
threads and processes; they are kept, and have no effect here.
"""

from inspect import Parameter, Signature

from sporax.core import random

_MOST = 2**32 - 1
_LONGEST = 2**31 - 1

# setting -> (default, what `set_x` calls it and its other parameters, least and greatest int)
_UNSEEDED = 5489
_SETTINGS = {
    "seed": (_UNSEEDED, "seed", 0, _MOST),  # of shuffles and random transforms
    "num_parallel_workers": (2, "num", 1, _MOST),
    "prefetch_size": (16, "size", 1, _MOST),  # batches prepared ahead
    "monitor_sampling_interval": (1000, "interval", 1, _LONGEST),
    "callback_timeout": (60, "timeout", 1, _LONGEST),
    "autotune_interval": (0, "interval", 0, _LONGEST),
    "multiprocessing_timeout_interval": (300, "interval", 1, _LONGEST),
    "auto_num_workers": (False, "enable"),
    "auto_offload": (False, "offload"),
    "debug_mode": (False, "debug_mode_flag debug_hook_list"),
    "dynamic_shape": (False, "is_dynamic"),
    "enable_autotune": (False, "enable filepath_prefix"),
    "enable_shared_mem": (True, "enable"),
    "enable_watchdog": (True, "enable"),
    "fast_recovery": (True, "fast_recovery"),
    "numa_enable": (False, "numa_enable"),
}
_values = {name: default for name, (default, *_) in _SETTINGS.items()}
_times = dict.fromkeys(_SETTINGS, 0)  # how often each was set


def _getter(name):
    def get():
        return _values[name]

    default = _SETTINGS[name][0]
    get.__doc__ = f"""The setting `{name}`, {default} by default.

    >>> set_{name}({default}); get_{name}()
    {default}
    """
    return get


def _setter(name):
    default, parameters, *limits = _SETTINGS[name]
    kind, (parameter, *others) = type(default), parameters.split()
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
    return _values["seed"] != _UNSEEDED


def times_seeded():
    """The number of times a seed was set."""
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
