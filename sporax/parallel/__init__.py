"""Several devices in one process: `Mesh`, and MindSpore's names of parallel training on it."""

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
from sporax.parallel.strategy_file import (
    build_searched_strategy,
    merge_pipeline_strategys,
    restore_group_info_list,
)
from sporax.parallel.unified import unified_safetensors
from sporax.sharding import Layout, Mesh, current_mesh, divide, place, placement_of

__all__ = [
    "Layout", "Mesh", "build_searched_strategy", "convert_checkpoint_by_rank",
    "convert_checkpoints", "current_mesh", "divide", "get_ckpt_path_with_strategy",
    "load_distributed_checkpoint", "load_segmented_checkpoints", "merge_pipeline_strategys",
    "merge_sliced_parameter", "place", "placement_of", "rank_list_for_convert",
    "rank_list_for_transform", "restore_group_info_list", "transform_checkpoint_by_rank",
    "transform_checkpoints", "unified_safetensors",
]  # fmt: skip
