"""Several devices in one process: `Mesh`, and MindSpore's API of parallel training on it."""

from sporax._src.devices.sharding import (
    Collective,
    DescribedMesh,
    Layout,
    Mesh,
    collectives,
    current_mesh,
    divide,
    leave_devices,
    place,
    placement_of,
    whole,
)
from sporax._src.devices.sharding.calls import shard
from sporax.nn.training_cells import parameter_broadcast
from sporax.parallel.algorithm_settings import (
    get_algo_parameters,
    get_ps_context,
    reset_algo_parameters,
    reset_ps_context,
    set_algo_parameters,
    set_op_strategy_config,
    set_ps_context,
    sync_pipeline_shared_parameters,
)
from sporax.parallel.auto_parallel import AutoParallel, load_strategy, save_strategy
from sporax.parallel.checkpoints import (
    convert_checkpoint_by_rank,
    convert_checkpoints,
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    load_segmented_checkpoints,
    merge_sliced_parameter,
    rank_list_for_convert,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
)
from sporax.parallel.program_cost import Link, Machine, ProgramCost, estimate
from sporax.parallel.strategy_file import (
    build_searched_strategy,
    merge_pipeline_strategys,
    restore_group_info_list,
)
from sporax.parallel.unified import unified_safetensors

__all__ = [
    "AutoParallel", "Collective", "DescribedMesh", "Layout", "Link", "Machine", "Mesh",
    "ProgramCost", "build_searched_strategy", "collectives", "convert_checkpoint_by_rank",
    "convert_checkpoints", "current_mesh", "divide", "estimate", "get_algo_parameters",
    "get_ckpt_path_with_strategy", "get_ps_context", "leave_devices", "load_distributed_checkpoint",
    "load_segmented_checkpoints", "load_strategy", "merge_pipeline_strategys",
    "merge_sliced_parameter", "parameter_broadcast", "place", "placement_of",
    "rank_list_for_convert", "rank_list_for_transform", "reset_algo_parameters", "reset_ps_context",
    "restore_group_info_list", "save_strategy", "set_algo_parameters", "set_op_strategy_config",
    "set_ps_context", "shard", "sync_pipeline_shared_parameters", "transform_checkpoint_by_rank",
    "transform_checkpoints", "unified_safetensors", "whole",
]  # fmt: skip
