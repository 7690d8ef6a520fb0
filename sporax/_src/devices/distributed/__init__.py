"""Multi-process execution: ranks and groups, launchers, and programs with collectives."""

import functools
import importlib

from sporax._src.core.errors import missing
from sporax._src.devices.distributed.parallel_context import SETTINGS, get_auto_parallel_context

__all__ = [
    "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "GlobalComm",
    "create_group", "destroy_group", "get_comm_name", "get_group_rank_from_world_rank",
    "get_group_size", "get_local_rank", "get_local_rank_size", "get_process_group_ranks",
    "get_rank", "get_world_rank_from_group_rank", "init", "release",
]  # fmt: skip


def __getattr__(name):
    if name in __all__:  # from `ranks`, which needs the engine
        return getattr(importlib.import_module("sporax._src.devices.distributed.ranks"), name)
    setting = name.removeprefix("_get_")
    if setting != name and setting in SETTINGS.table:  # as in `mindspore.parallel._utils`
        return functools.partial(get_auto_parallel_context, setting)
    raise missing("communication", name)
