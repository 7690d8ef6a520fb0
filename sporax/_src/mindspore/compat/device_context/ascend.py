"""`mindspore.device_context.ascend`: an Ascend is never available; its settings are stored."""

from sporax._src.diagnosis.rules import rejection, require
from sporax._src.mindspore.compat.device_context.device_settings import setters
from sporax._src.mindspore.compat.devices import is_available as _is_available
from sporax._src.mindspore.compat.runtime import without_effect

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
    raise rejection("ascend-none", "device_count")


def aclinit_config(config):
    """Set the initialization options of Ascend's library: checked, without effect.

    `config`: a dict with the keys "max_opqueue_num", "err_msg_mode" and "dump".
    """
    for key, value in config.items():
        if key not in _ACL_KEYS:
            raise rejection("keys-among", "aclinit_config", acl_keys=list(_ACL_KEYS), got=key)
        allowed = _ACL_KEYS[key]
        require(
            allowed is not None or isinstance(value, str),
            "must-be-type",
            "aclinit_config",
            argument=key,
            got=value,
            kind="a-str",
        )
        if allowed is not None and value not in allowed:
            raise rejection(
                "one-of", "aclinit_config", argument=key, choices=list(allowed), got=value
            )
    without_effect("aclinit_config", "there is no Ascend")
