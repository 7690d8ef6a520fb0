"""Settings of parallel training: kept and checked, without effect on the one device."""

from sporax.core.settings import Settings


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
# setting -> its values that need one device alone
_OF_ONE = {
    "parallel_mode": ParallelMode.MODE_LIST[:3],
    "device_num": (1,),
    "global_rank": (0,),
    "pipeline_stages": (1,),
}


def set_auto_parallel_context(**settings):
    """Change settings by name, as `mindspore.set_auto_parallel_context`; one device takes part.

    Kept and returned by `get_auto_parallel_context`, without effect, since gradients of one device
    are their own mean. Raises ValueError for a name or a value that does not exist, TypeError for
    a value of another type, NotImplementedError for what several devices would be needed for; then
    nothing is changed.

    >>> from sporax.distributed.parallel_context import get_auto_parallel_context
    >>> set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    >>> get_auto_parallel_context("gradients_mean")
    True
    >>> reset_auto_parallel_context()
    """
    for name, value in settings.items():
        SETTINGS.check(name, value)
        _check_for_one(name, value)
    SETTINGS.values.update(settings)


def _check_for_one(name, value):
    if name in ("device_num", "pipeline_stages") and value < 1:
        raise ValueError(
            f"For 'set_auto_parallel_context', '{name}' must be positive, but got {value}."
        )
    if value not in _OF_ONE.get(name, (value,)):
        raise NotImplementedError(
            f"sporax has no training on several devices yet, but '{name}' is {value!r}. Leave it "
            "out: one device takes part."
        )


def get_auto_parallel_context(attr_key):
    """The present value of a setting of `set_auto_parallel_context`.

    >>> ms.get_auto_parallel_context("device_num")
    1
    """
    SETTINGS.check_name(attr_key, "get_auto_parallel_context")
    return SETTINGS.values[attr_key]


def reset_auto_parallel_context():
    """Give all settings of `set_auto_parallel_context` their defaults again.

    >>> ms.reset_auto_parallel_context()
    """
    SETTINGS.reset()
