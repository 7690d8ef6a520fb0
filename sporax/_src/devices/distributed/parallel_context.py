"""Settings of parallel training: checked and stored; some control how one process divides work."""

from sporax._src.core.hooks import hooks
from sporax._src.core.settings import Settings
from sporax._src.core.tensor import complete
from sporax._src.devices.distributed import processes
from sporax._src.diagnosis.argument_kinds import BOOL, COUNT, POSITIVE_INT, STR, one_of
from sporax._src.diagnosis.rules import require


class ParallelMode:
    """Modes of parallel training, by MindSpore's names.

    >>> ms.ParallelMode.STAND_ALONE
    'stand_alone'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


SETTINGS = Settings("set_auto_parallel_context")
SCHEDULERS = "1f1b", "gpipe"
_LEAST = {"device_num": POSITIVE_INT, "pipeline_stages": POSITIVE_INT, "global_rank": COUNT}
_PIPELINE = {"pipeline_interleave": BOOL, "pipeline_scheduler": STR}
_OF_PIPELINE = {"pipeline_interleave": False, "pipeline_scheduler": SCHEDULERS[0]}  # defaults
# settings of the Mesh that one process divides programs over
_OF_MESH = {
    "device_num", "enable_parallel_optimizer", "parallel_mode", "parallel_optimizer_config",
    "pipeline_config", "pipeline_stages",
}  # fmt: skip


def set_auto_parallel_context(**settings):
    """Change settings by name, like `mindspore.set_auto_parallel_context`.

    With 'data_parallel' as `parallel_mode`, training steps sum the gradients of all processes, or
    average them with `gradients_mean`; with `parameter_broadcast` they begin with the Parameters of
    the first process. `device_num` and `global_rank` are then the number of processes and the rank.

    With 'semi_auto_parallel' or 'auto_parallel' as `parallel_mode`, a process with several devices
    enters a `sporax.parallel.Mesh` of `device_num` of them (1: all) until the mode changes: XLA
    partitions programs, following the strategies of `shard`, if there are any. With
    `enable_parallel_optimizer`, optimizers created from then on divide their states.
    `pipeline_stages` is the number of stages of a `PipelineCell` (1: the number that its cells
    name), and `pipeline_config={"pipeline_scheduler": ...}` their schedule, '1f1b' or 'gpipe'. All
    settings are stored and returned by `get_auto_parallel_context`. Raises ValueError for an
    unknown name or value, and if there are fewer devices, TypeError for a value of another type;
    then nothing is changed.

    >>> from sporax._src.devices.distributed.parallel_context import get_auto_parallel_context
    >>> set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    >>> get_auto_parallel_context("gradients_mean")
    True
    >>> reset_auto_parallel_context()
    """
    for name, value in settings.items():
        SETTINGS.check(name, value)
        if name in _LEAST:
            _LEAST[name].checked("set_auto_parallel_context", name, value)
    _check_pipeline(settings.get("pipeline_config", {}))
    _check_processes({**SETTINGS.values, **settings})
    _change({**SETTINGS.values, **settings})


def _check_pipeline(config):
    """Raise for an invalid `pipeline_config`."""
    who = "set_auto_parallel_context"
    for name, value in config.items():
        require(name in _PIPELINE, "names", who, pipeline_config=name, items=[*_PIPELINE])
        _PIPELINE[name].checked(who, name, value)
    scheduler = config.get("pipeline_scheduler", SCHEDULERS[0])
    one_of(*SCHEDULERS)(who, pipeline_scheduler=scheduler)
    require(not config.get("pipeline_interleave"), "false", who, argument="pipeline_interleave")


def _check_processes(settings):
    """Raise NotImplementedError if a data-parallel mode gets another `device_num` or `global_rank`
    than the processes have."""
    if settings["parallel_mode"] not in ParallelMode.MODE_LIST[1:3]:
        return
    for name, number in [("device_num", processes.size()), ("global_rank", processes.rank())]:
        got, who = settings[name], "set_auto_parallel_context"
        fits = got in (number, SETTINGS.table[name].default)
        require(fits, "processes", who, argument=name, number=number, got=got)


def _change(settings):
    if any(settings[name] != SETTINGS.values[name] for name in _OF_MESH):
        complete()
        hooks.auto_parallel(settings)
    SETTINGS.values.update(settings)


def get_auto_parallel_context(attr_key):
    """Return the current value of a setting of `set_auto_parallel_context`, or of an item of
    `pipeline_config`.

    >>> ms.get_auto_parallel_context("device_num")
    1
    """
    if attr_key in _OF_PIPELINE:
        return SETTINGS.values["pipeline_config"].get(attr_key, _OF_PIPELINE[attr_key])
    SETTINGS.check_name(attr_key, "get_auto_parallel_context")
    if processes.size() > 1 and attr_key in ("device_num", "global_rank"):
        return processes.size() if attr_key == "device_num" else processes.rank()
    return SETTINGS.values[attr_key]


def reset_auto_parallel_context():
    """Reset all settings of `set_auto_parallel_context` to their defaults.

    >>> ms.reset_auto_parallel_context()
    """
    _change({name: row.default for name, row in SETTINGS.table.items()})
