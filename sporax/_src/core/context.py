"""The settings of a process: mode, device, executor; `set_context` and `get_context`."""

import functools

import jax

from sporax._src.core.errors import warn
from sporax._src.core.settings import Settings
from sporax._src.diagnosis.argument_kinds import BOOL, POSITIVE_INT
from sporax._src.diagnosis.rules import rejection, require

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2  # how much of Python a captured function may use: always all

_SETTINGS = Settings("set_context")
_values = _SETTINGS.values
_listeners = {}  # setting -> callback for when it is set

_PLATFORMS = {"CPU": "cpu", "GPU": "cuda", "TPU": "tpu"}
_WRITTEN_FOR = "Ascend", "GPU"  # targets that MindSpore scripts name, whatever the device


def when_set(name, action):
    """Call `action(value)` whenever the setting is set."""
    _listeners[name] = action


def set_context(**settings):
    """Change settings by name, as `mindspore.set_context`.

    Relevant here: `mode` (GRAPH_MODE: each outermost Cell call is captured as by `jit`),
    `device_target` ('CPU', 'GPU', 'TPU'; for 'Ascend', and for 'GPU' without one, the device
    present is used, with a warning), `pynative_synchronize` (every operation runs at its own line),
    `check_indices` (True: an index Tensor out of range raises at the next read; False disables the
    check for operations recorded or captured afterwards, SPORAX_CHECK_INDICES=0 from the start),
    `detect_anomaly` (the mode of that name, for this thread), `hook_convention` ('2.10', '2.3': the
    arguments of a Cell's backward hook). Settings of other backends are stored, returned by
    `get_context`, and have no effect.
    Raises ValueError for an unknown name or value, TypeError for a value of another type; then
    nothing is changed.

    >>> ms.set_context(mode=ms.PYNATIVE_MODE)
    """
    for name, value in settings.items():
        _SETTINGS.check(name, value)
    if (target := settings.get("device_target")) is not None:
        settings["device_target"] = _chosen(target, "set_context")
    for name, value in settings.items():
        _values[name] = value
        if name in _listeners:
            _listeners[name](value)


def get_context(attr_key):
    """Return the current value of a setting.

    >>> ms.get_context("mode") == ms.PYNATIVE_MODE
    True
    """
    _SETTINGS.check_name(attr_key, "get_context")
    if attr_key == "device_target" and _values[attr_key] is None:
        return _present_device()
    return _values[attr_key]


def _present_device():
    platform = jax.default_backend()
    names = {"cpu": "CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}
    return names.get(platform, platform.upper())


def _chosen(target, who):
    """Select a device by name, or the one present if a script was written for another; returns the
    name of the selected device."""
    existing = [name for name in _PLATFORMS if _has(name)]
    if target not in existing:
        if target not in _WRITTEN_FOR:
            raise rejection("device-exists-here", who, device_target=target, names=existing)
        present = _present_device()
        _warn_of(who, target, present)
        target = present
    jax.config.update("jax_default_device", jax.local_devices(backend=_PLATFORMS[target])[0])
    return target


def check_device(who, device):
    """Raise unless Tensors may be on `device`: the one in use, also by a name that MindSpore
    scripts use for it, or 'meta'."""
    here = get_context("device_target")
    name = device.partition(":")[0].upper() if isinstance(device, str) else None
    if device != "meta" and name != here:
        written = next((n for n in _WRITTEN_FOR if n.upper() == name), None)
        require(written is not None, "one-use", who, device=device, here=here)
        _warn_once_of(who, written, here)


def _warn_of(who, target, present):
    warn(f"For '{who}', there is no '{target}' here: the program runs on '{present}' instead.")


_warn_once_of = functools.cache(_warn_of)


def _has(name):
    try:
        return bool(jax.local_devices(backend=_PLATFORMS[name]))
    except RuntimeError:
        return False


def set_recursion_limit(recursion_limit=1000):
    """Store the maximum depth of calls in a captured function, as 'max_call_depth'.

    It has no effect: Python's own limit (`sys.setrecursionlimit`) applies.

    >>> set_recursion_limit(5000)
    >>> get_context("max_call_depth")
    5000
    >>> set_recursion_limit()
    """
    POSITIVE_INT("set_recursion_limit", recursion_limit=recursion_limit)
    set_context(max_call_depth=recursion_limit)


def set_deterministic(deterministic):
    """Set whether all runs of a computation are bitwise equal: it is then compiled at its first
    run, not at its second. Two runs of one script are equal either way on a CPU. On a GPU, programs
    that are compiled afterwards use no kernel whose sums depend on timing, and no autotuning.

    >>> ms.set_deterministic(False)
    """
    BOOL("set_deterministic", deterministic=deterministic)
    set_context(deterministic="ON" if deterministic else "OFF")


def set_device(device_target, device_id=None):
    """Choose the device by name: 'CPU', 'GPU' or 'TPU'.

    >>> ms.set_device("CPU")
    """
    set_context(device_target=_chosen(device_target, "set_device"))
    if device_id is not None:
        set_context(device_id=device_id)
