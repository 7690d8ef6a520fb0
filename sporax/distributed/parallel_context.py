"""Settings of parallel training: kept and checked, without effect on the one device."""


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


_SEARCHES = ("recursive_programming", "dynamic_programming", "sharding_propagation")
_GROUPS = ("all_group_parallel", "same_server_group_parallel", "no_group_parallel")
_FUSED = {"mode": "auto", "config": None}

# name -> (default, types, allowed values or None)
SETTINGS = {
    "parallel_mode": (ParallelMode.STAND_ALONE, str, ParallelMode.MODE_LIST),
    "search_mode": (_SEARCHES[0], str, _SEARCHES),
    "auto_parallel_search_mode": (_SEARCHES[0], str, _SEARCHES),
    "communi_parallel_mode": (_GROUPS[0], str, _GROUPS),
    "device_num": (1, int, None),
    "global_rank": (0, int, None),
    "pipeline_stages": (1, int, None),
    "pipeline_segments": (1, int, None),
    "grad_accumulation_step": (1, int, None),
    "optimizer_weight_shard_size": (-1, int, None),
    "gradients_mean": (False, bool, None),
    "gradient_fp32_sync": (True, bool, None),
    "loss_repeated_mean": (True, bool, None),
    "auto_pipeline": (False, bool, None),
    "pipeline_result_broadcast": (False, bool, None),
    "parameter_broadcast": (False, bool, None),
    "full_batch": (False, bool, None),
    "enable_parallel_optimizer": (False, bool, None),
    "force_fp32_communication": (False, bool, None),
    "optimizer_weight_shard_aggregated_save": (False, bool, None),
    "sharding_propagation": (False, bool, None),
    "enable_alltoall": (False, bool, None),
    "dump_local_norm": (False, bool, None),
    "dump_device_local_norm": (False, bool, None),
    "auto_parallel_new_interface": (False, bool, None),
    "init_param_in_compile": (True, bool, None),
    "strategy_ckpt_load_file": ("", str, None),
    "strategy_ckpt_save_file": ("", str, None),
    "group_ckpt_save_file": ("", str, None),
    "dump_local_norm_path": ("", str, None),
    "dataset_strategy": ("data_parallel", (str, tuple), None),
    "parallel_optimizer_config": ({}, dict, None),
    "pipeline_config": ({}, dict, None),
    "all_reduce_fusion_config": ([], list, None),
    "comm_fusion": (
        {"openstate": True, **dict.fromkeys(("allreduce", "allgather", "reducescatter"), _FUSED)},
        dict,
        None,
    ),
    "strategy_ckpt_config": (
        {"load_file": "", "save_file": "", "only_trainable_params": True},
        dict,
        None,
    ),
}
# what only several devices could do: setting -> the values with which one device does the same
_OF_ONE = {
    "parallel_mode": ParallelMode.MODE_LIST[:3],
    "device_num": (1,),
    "global_rank": (0,),
    "pipeline_stages": (1,),
}
_values = {}


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
        _, kinds, allowed = _setting("set_auto_parallel_context", name)
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"For 'set_auto_parallel_context', '{name}' must be of type {wanted}, but got "
                f"{type(value).__name__}."
            )
        if allowed is not None and value not in allowed:
            raise ValueError(
                f"For 'set_auto_parallel_context', '{name}' must be one of {list(allowed)}, but "
                f"got {value!r}."
            )
        _check_for_one(name, value)
    _values.update(settings)


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
    default = _setting("get_auto_parallel_context", attr_key)[0]
    return _values.get(attr_key, default)


def reset_auto_parallel_context():
    """Give all settings of `set_auto_parallel_context` their defaults again.

    >>> ms.reset_auto_parallel_context()
    """
    _values.clear()


def _setting(who, name):
    if name not in SETTINGS:
        raise ValueError(
            f"For '{who}', there is no setting '{name}'. There are: {', '.join(SETTINGS)}."
        )
    return SETTINGS[name]
