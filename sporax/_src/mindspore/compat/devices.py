"""`mindspore.hal`: the available devices and their properties."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import jax

from sporax._src.core import context
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.engine.meta import on_device

_PLATFORMS = {"CPU": "cpu", "GPU": "gpu", "TPU": "tpu"}
_NAMES = (*_PLATFORMS, "Ascend")


def _devices(who, device_target):
    """Return the devices of that name; for None the current ones, for 'Ascend' JAX's default."""
    if device_target is not None and device_target not in _NAMES:
        raise rejection("one-argument-choice", who, device_target=device_target, names=list(_NAMES))
    target = context.get_context("device_target") if device_target is None else device_target
    try:
        return jax.local_devices(backend=_PLATFORMS.get(target))
    except RuntimeError:
        raise rejection(
            "device-exists-here-no", who, argument="device_target", device_target=device_target
        ) from None


def device(who="device", device_target=None, device_id=0):
    """Return the JAX device with that name and number."""
    devices = _devices(who, device_target)
    require(
        isinstance(device_id, int) and (not isinstance(device_id, bool)),
        "int-argument-type",
        who,
        device_id=device_id,
    )
    if not 0 <= device_id < len(devices):
        raise rejection("less-than-number-devices", who, device_id=device_id, count=len(devices))
    return devices[device_id]


def is_available(device_target):
    """Return True if there is a device of that name: 'CPU', 'GPU', 'TPU'; False for 'Ascend'.

    >>> from sporax._src.mindspore.compat import devices
    >>> devices.is_available("CPU")
    True
    """
    if device_target == "Ascend":
        return False
    try:
        return bool(_devices("hal.is_available", device_target))
    except ValueError:
        if device_target in _NAMES:
            return False
        raise


def is_initialized(device_target):
    """Return True if the devices of that name can be used: JAX initializes all at once."""
    return is_available(device_target)


def device_count(device_target=None):
    """Return the number of devices of that name in this process."""
    return len(_devices("hal.device_count", device_target))


def get_device_name(device_id, device_target=None):
    """Return the name of a device, such as 'cpu' or 'NVIDIA H100 80GB HBM3'."""
    return device("hal.get_device_name", device_target, device_id).device_kind


def get_device_capability(device_id, device_target=None):
    """Return the compute capability of an NVIDIA GPU, (major, minor); None for other devices."""
    version = get_arch(device("hal.get_device_capability", device_target, device_id))
    return tuple(map(int, version.split("."))) if version else None


def get_arch(one):
    """Return the compute capability of a GPU as a string; None for other devices."""
    return getattr(one, "compute_capability", None)


def get_device_properties(device_id, device_target=None):
    """Return the properties of a device: `name`, `total_memory` in bytes (None if unknown), `major`
    and `minor` of its compute capability (None if it has none)."""
    one = device("hal.get_device_properties", device_target, device_id)
    capability = get_device_capability(device_id, device_target) or (None, None)
    statistics = one.memory_stats() or {}
    return SimpleNamespace(
        name=one.device_kind, total_memory=statistics.get("bytes_limit"),
        major=capability[0], minor=capability[1],
    )  # fmt: skip


def get_arch_list(device_target=None):
    """Return the compute capabilities of the available GPUs, such as ['sm_90'], for which XLA
    compiles just in time; None for other devices."""
    architectures = map(get_arch, _devices("hal.get_arch_list", device_target))
    versions = {version for version in architectures if version is not None}
    return sorted(f"sm_{version.replace('.', '')}" for version in versions) or None


class DeviceInfo(NamedTuple):
    """The name and number of a device."""

    device_target: str
    device_id: int


def get_current_device():
    """Return the name and number of the device that programs run on.

    >>> ms.get_current_device().device_id
    0
    """
    if thread.recorder.is_meta:
        return DeviceInfo("meta", 0)
    return _chosen()


def _chosen():
    target: Any = context.get_context("device_target")
    number: Any = context.get_context("device_id")
    return DeviceInfo(target, number)


class DeviceCtx:
    """Context manager in which `set_device(name, device_id)` applies; None means device 0.

    On the device 'meta', Tensors, Parameters and results of operations have shape and dtype and no
    data; this thread computes nothing.
    Raises ValueError on entering, for a name other than 'CPU', 'GPU', 'TPU', 'Ascend' or 'meta' and
    for a negative number.

    >>> with ms.DeviceCtx("CPU"):
    ...     print(ms.get_current_device().device_target)
    CPU
    >>> with ms.DeviceCtx("meta"):
    ...     print(nn.Dense(200_000, 200_000).weight.is_meta)
    True
    """

    def __init__(self, name, device_id=None):
        self.name, self.device_id, self._before = name, device_id, []

    def __enter__(self):
        names = [*_NAMES, "meta"]
        fits = self.name in names
        require(fits, "one-argument-choice-devices", "DeviceCtx", name=self.name, names=names)
        require(
            self.device_id is None or self.device_id >= 0,
            "at-least-0",
            "DeviceCtx",
            device_id=self.device_id,
        )
        block = on_device(self.name).__enter__()
        self._before.append((block, _chosen()))
        if self.name != "meta":
            context.set_device(self.name, self.device_id or 0)
        return self

    def __exit__(self, *error):
        block, before = self._before.pop()
        block.__exit__()
        if self.name != "meta":
            context.set_device(*before)
