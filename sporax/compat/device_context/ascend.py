"""`mindspore.device_context.ascend`: an Ascend is never available; its settings are stored."""

from sporax.compat.device_context.device_settings import setters
from sporax.compat.devices import is_available as _is_available
from sporax.compat.runtime import without_effect

globals().update(setters("device_context.ascend"))

_ACL_KEYS = {
    "max_opqueue_num": None,
    "err_msg_mode": ("0", "1"),
    "dump": tuple({"dump_scene": scene} for scene in ("lite_exception", "lite_exception:disable")),
}


def is_available():
    """Return False: there is never an Ascend."""
    return _is_available("Ascend")


def device_count():
    """Raise RuntimeError, as on a machine without an Ascend."""
    raise RuntimeError(
        "For 'device_count', there must be an Ascend, but there is none. Ask "
        "'device_context.cpu.device_count' or 'hal.device_count'."
    )


def aclinit_config(config):
    """Set the initialization options of Ascend's library: checked, without effect.

    `config`: a dict with the keys "max_opqueue_num", "err_msg_mode" and "dump".
    """
    for key, value in config.items():
        if key not in _ACL_KEYS:
            raise ValueError(
                f"For 'aclinit_config', the keys must be among {list(_ACL_KEYS)}, but got {key!r}."
            )
        allowed = _ACL_KEYS[key]
        if allowed is None and not isinstance(value, str):
            raise TypeError(
                f"For 'aclinit_config', '{key}' must be a str, but got {type(value).__name__}."
            )
        if allowed is not None and value not in allowed:
            raise ValueError(
                f"For 'aclinit_config', '{key}' must be one of {list(allowed)}, but got {value!r}."
            )
    without_effect("aclinit_config", "there is no Ascend")
