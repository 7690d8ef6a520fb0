"""A Mesh for the whole process, controlled by MindSpore's settings."""

import jax

from sporax._src.core.hooks import hooks
from sporax._src.devices.distributed.parallel_context import SCHEDULERS
from sporax._src.devices.sharding.across_ranks import start_devices
from sporax._src.devices.sharding.mesh import Mesh, OptimizerParallel, current_mesh
from sporax._src.devices.sharding.schedule import PipelineSettings

_entered = []  # the Mesh entered by MindSpore's functions
_AUTOMATIC = "semi_auto_parallel", "auto_parallel"


def enter_all_devices(count=None):
    """Enter a Mesh of `count` devices (by default all, under a launcher the devices of all ranks)
    until `leave_devices`. Do nothing for one device, or if a Mesh is already entered."""
    start_devices("set_auto_parallel_context")
    count = count or jax.device_count()
    if current_mesh() is None and count > 1:
        mesh = Mesh(data=count)
        mesh.__enter__()
        _entered.append(mesh)


def leave_devices() -> None:
    """Leave the Mesh that `AutoParallel` or `set_auto_parallel_context` has entered.

    >>> from sporax import parallel
    >>> parallel.leave_devices()
    """
    while _entered:
        _entered.pop().__exit__(None, None, None)


def follow(settings):
    """Enter or leave a Mesh according to the settings of `set_auto_parallel_context`."""
    if settings["parallel_mode"] in _AUTOMATIC:
        count = settings["device_num"]
        enter_all_devices(count if count > 1 else None)
    else:
        leave_devices()
    config = settings["parallel_optimizer_config"]
    OptimizerParallel.threshold = None
    if settings["enable_parallel_optimizer"]:
        OptimizerParallel.threshold = config.get("parallel_optimizer_threshold", 64)
    PipelineSettings.change(
        settings["pipeline_config"].get("pipeline_scheduler", SCHEDULERS[0]),
        settings["pipeline_stages"],
    )


hooks.auto_parallel = follow
