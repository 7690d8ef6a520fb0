"""Settings of all data pipelines: `mindspore.dataset.config`.

Each setting `x` of the table (`core.settings`) has a `get_x()` and a `set_x(...)`. The table says
which of them have an effect; the others configure MindSpore's own engine and are only stored.
"""

import logging
from functools import partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any

from sporax._src.core import random
from sporax._src.core.settings import Settings
from sporax._src.diagnosis.argument_kinds import BOOL, Kind, member_of
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import debug_hooks
from sporax.data.error_samples import ErrorSamplesMode
from sporax.io import untrusted_file

_SETTINGS = Settings("dataset.config")
_values = _SETTINGS.values
MOST_WORKERS = _SETTINGS.table["num_parallel_workers"][2][1]  # per operation
_times = dict.fromkeys(_values, 0)  # the number of calls of each setter
_WORDS = {bool: "a-bool", int: "an-int", str: "a-str"}
_log = logging.getLogger("sporax")

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The getters and setters that are made of the table."""


def _getter(name):
    def get():
        return _values[name]

    default = _SETTINGS.table[name].default
    get.__doc__ = f"""The setting `{name}`, {default!r} by default.

    >>> set_{name}({default!r}); get_{name}()
    {default!r}
    """
    return get


def _setter(name):
    default, (kind,), limits, (parameter, *others), _ = _SETTINGS.table[name]
    signature = Signature(
        [Parameter(parameter, Parameter.POSITIONAL_OR_KEYWORD)]
        + [Parameter(other, Parameter.POSITIONAL_OR_KEYWORD, default=None) for other in others]
    )

    exact = Kind(partial(message, _WORDS[kind]), lambda value: type(value) is kind)

    def set_to(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs).arguments
        value = arguments.pop(parameter)
        exact(f"set_{name}", **{parameter: value})
        fits = not limits or _is_allowed(value, limits)
        require(fits, "in-interval", f"set_{name}", argument=parameter, interval=limits, got=value)
        if name in _FURTHER:
            _FURTHER[name](value, **arguments)
        _values[name] = value
        _times[name] += 1

    set_to.__signature__ = signature
    set_to.__doc__ = f"""Set `{name}` to {exact.words()}{f" in {limits}" if limits else ""}.

    >>> set_{name}({default!r})
    """
    return set_to


def _hooks_of(debug_mode, debug_hook_list=None):
    chosen = [debug_hooks.PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    debug_hooks.set_hooks(chosen if debug_mode else [])


def _no_tuning(enable, filepath_prefix=None):
    if filepath_prefix is not None:
        _log.warning("'filepath_prefix' has no effect here: nothing is tuned, no file written.")


_FURTHER = {"debug_mode": _hooks_of, "enable_autotune": _no_tuning}


def _is_allowed(value, limits):
    return value in limits if isinstance(limits, tuple) else limits[0] <= value <= limits[1]


def is_seeded():
    """Return True if a seed was set, here or by `mindspore.set_seed`; else every run differs."""
    return _values["seed"] != _SETTINGS.table["seed"].default


def is_set(name):
    """Return True if a setting was set, to any value."""
    return _times[name] > 0


def times_seeded():
    """Return the number of times a seed was set."""
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

_FILE_KEYS = {
    "numParallelWorkers": "num_parallel_workers", "opConnectorSize": "prefetch_size",
    "seed": "seed", "monitorSamplingInterval": "monitor_sampling_interval",
}  # fmt: skip  # of MindSpore's configuration files


def load(file):
    """Load settings from a JSON file, with MindSpore's keys `numParallelWorkers`, `opConnectorSize`
    (the prefetch size), `seed` and `monitorSamplingInterval`; other keys are ignored.
    """
    try:
        settings = untrusted_file.json_of(untrusted_file.content(file))
        for key, name in _FILE_KEYS.items():
            if dict.__contains__(settings, key):  # raises TypeError for a non-dict
                globals()[f"set_{name}"](settings[key])
    except untrusted_file.MALFORMED as error:
        cause = untrusted_file.cause(error)
        raise rejection("file-cannot-read", "config.load", path=file, cause=cause) from None


_chosen = {
    "iterator_mode": {"do_copy": False, "parallel_convert": False},
    "error_samples_mode": ErrorSamplesMode.RETURN,
}


def set_iterator_mode(do_copy=False, parallel_convert=False):
    """Set the iterator mode; it is stored without effect, as each Tensor has its own memory."""
    mode = {"do_copy": do_copy, "parallel_convert": parallel_convert}
    BOOL("set_iterator_mode", **mode)
    _chosen["iterator_mode"] = mode


def get_iterator_mode():
    """Return the arguments of the last `set_iterator_mode`, as a dict.

    >>> get_iterator_mode()
    {'do_copy': False, 'parallel_convert': False}
    """
    return dict(_chosen["iterator_mode"])


def set_error_samples_mode(error_samples_mode):
    """Set how `map` handles rows for which an operation raises, by an `ErrorSamplesMode`."""
    member_of(ErrorSamplesMode)("set_error_samples_mode", error_samples_mode=error_samples_mode)
    _chosen["error_samples_mode"] = error_samples_mode


def get_error_samples_mode():
    """Return the mode set by `set_error_samples_mode`.

    >>> get_error_samples_mode()
    <ErrorSamplesMode.RETURN: 0>
    """
    return _chosen["error_samples_mode"]
