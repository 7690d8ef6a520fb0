"""A Mesh for the whole process, as MindSpore's settings ask for it."""

import jax

from sporax.core.tensor import FACTORIES
from sporax.distributed.parallel_context import SCHEDULERS
from sporax.sharding.mesh import Mesh, OptimizerParallel, current_mesh
from sporax.sharding.schedule import PipelineSettings

_entered = []  # the Mesh that MindSpore's names have entered
_AUTOMATIC = "semi_auto_parallel", "auto_parallel"


def enter_all_devices(count=None):
    """Enter a Mesh of `count` devices (by default all), unless that is one, or a Mesh is entered
    already; the process keeps it until `leave_devices`."""
    if jax.process_count() > 1:
        raise NotImplementedError(
            "sporax divides programs among the devices of one process, but there are "
            f"{jax.process_count()} processes. Start the script without a launcher, or use "
            "parallel_mode='data_parallel'."
        )
    count = count or jax.device_count()
    if current_mesh() is None and count > 1:
        mesh = Mesh(data=count)
        mesh.__enter__()
        _entered.append(mesh)


def leave_devices():
    """Leave the Mesh that `AutoParallel` or `set_auto_parallel_context` has entered.

    >>> from sporax import parallel
    >>> parallel.leave_devices()
    """
    while _entered:
        _entered.pop().__exit__()


def follow(settings):
    """Enter or leave a Mesh as the settings of `set_auto_parallel_context` say."""
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


FACTORIES["auto_parallel"] = follow
