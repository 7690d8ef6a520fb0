"""MindSpore's handling of checkpoints of many ranks.

Each case has the layouts of parameters before and after; the strategy file's bytes, the required
ranks, and each rank's arrays afterwards are recorded.
"""

import glob
import json
import os
import tempfile

import mindspore as ms
import numpy as np
from mindspore.train import _utils
from mindspore.train import node_strategy_pb2 as pb

# (before, after): {name: (whole shape, dev_matrix, tensor_map, step, size, stages)}, None: whole
ROWS = ((4, 3), [2, 2], [0, -1], 0, 0)
CASES = {
    "rows to whole": ({"w": ROWS}, None),
    "columns to rows": ({"w": ((4, 4), [4], [-1, 0], 0, 0)}, {"w": ((4, 4), [4], [0, -1], 0, 0)}),
    "whole to grid": (None, {"w": ((4, 4), [2, 2], [1, 0], 0, 0)}),
    "grid to transposed grid": (
        {"w": ((4, 8), [2, 4], [1, 0], 0, 0), "b": ((8,), [2, 4], [0], 0, 0)},
        {"w": ((4, 8), [4, 2], [1, 0], 0, 0), "b": ((8,), [4, 2], [-1], 0, 0)},
    ),
    "more ranks": ({"w": ((8, 2), [2], [0, -1], 0, 0)}, {"w": ((8, 2), [8], [0, -1], 0, 0)}),
    "fewer ranks": ({"w": ((8, 2), [2, 4], [0, -1], 0, 0)}, {"w": ((8, 2), [2], [0, -1], 0, 0)}),
    "optimizer to whole": ({"w": ((8, 2), [4], [-1, -1], 1, 4)}, None),
    "optimizer and columns": (
        {"w": ((8, 4), [4, 2], [-1, 0], 2, 4)}, {"w": ((8, 4), [2, 2], [1, 0], 0, 0)},
    ),
    "half of the optimizer": (
        {"w": ((8, 4), [4, 2], [-1, 0], 2, 2)}, {"w": ((8, 4), [4], [0, -1], 0, 0)},
    ),
    "rows and optimizer": (
        {"w": ((8, 4), [2, 4], [0, -1], 4, 2)}, {"w": ((8, 4), [8], [-1, -1], 1, 8)},
    ),
    "two axes for one": (
        {"w": ((8, 4), [2, 2, 2], [[2, 1], [-1]], 0, 0)}, {"w": ((8, 4), [8], [0, -1], 0, 0)},
    ),
    "stages to whole": (
        {"a": ((4, 2), [2], [0, -1], 0, 0, 0), "b": ((2, 4), [2], [-1, 0], 0, 0, 1)}, None,
    ),
    "stages to ranks": (
        {"a": ((4, 2), [2], [0, -1], 0, 0, 0), "b": ((2, 4), [2], [-1, 0], 0, 0, 1)},
        {"a": ((4, 2), [4], [0, -1], 0, 0), "b": ((2, 4), [4], [-1, 0], 0, 0)},
    ),
}  # fmt: skip


def message(dev_matrix, tensor_map, step, size):
    layout = pb.ParallelLayouts()
    layout.dev_matrix.add().dim.extend(dev_matrix)
    nested = any(isinstance(n, list) for n in tensor_map)
    for dims in tensor_map if nested else [tensor_map]:
        layout.tensor_map.add().dim.extend(dims)
    layout.param_split_shape.add()
    layout.indices_offset.add()
    layout.field = 0
    layout.opt_weight_shard_step, layout.opt_weight_shard_size = step, size
    return layout


def strategy(path, layouts, folder):
    """Write a strategy file, for several stages with MindSpore's merging; returns its path."""
    if layouts is None:
        return None
    stages = {entry[5] if len(entry) > 5 else 0 for entry in layouts.values()}
    files = os.path.join(folder, path)
    os.makedirs(files)
    for stage in sorted(stages):
        whole = pb.ParallelStrategyMap()
        whole.current_stage = stage
        node = whole.parallel_strategy_item.add()
        node.node_name = f"MatMul-op{stage}"
        node.parallel_strategys.stage = stage
        node.parallel_strategys.parallel_strategy.add().dim.extend([2, 1])
        for name, entry in layouts.items():
            if (entry[5] if len(entry) > 5 else 0) == stage:
                item = whole.parallel_layout_item.add()
                item.param_name = name
                item.parallel_layouts.CopyFrom(message(*entry[1:5]))
        with open(f"{files}/{stage}.ckpt", "wb") as file:
            file.write(whole.SerializeToString())
    if len(stages) == 1:
        return f"{files}/{min(stages)}.ckpt"
    ms.merge_pipeline_strategys(files, f"{files}.ckpt")
    return f"{files}.ckpt"


def whole_arrays(layouts):
    return {
        name: np.arange(np.prod(entry[0]), dtype=np.float32).reshape(entry[0])
        for name, entry in layouts.items()
    }


def save(folder, content):
    """Write {rank: {name: array}} as checkpoints."""
    for rank, arrays in content.items():
        os.makedirs(f"{folder}/rank_{rank}", exist_ok=True)
        entries = [{"name": n, "data": ms.Tensor(a)} for n, a in arrays.items()]
        ms.save_checkpoint(entries, f"{folder}/rank_{rank}/net-1_1.ckpt")


def loaded(folder):
    return {
        os.path.basename(os.path.dirname(path)): {
            "file": os.path.basename(path),
            **{n: p.asnumpy().tolist() for n, p in ms.load_checkpoint(path).items()},
        }
        for path in sorted(glob.glob(f"{folder}/rank_*/*.ckpt"))
    }


def record(before, after):
    folder = tempfile.mkdtemp()
    src, dst = strategy("src", before, folder), strategy("dst", after, folder)
    arrays = whole_arrays(before or after)
    save(f"{folder}/whole", {0: arrays})
    if before is None:
        ranks = {0: arrays}
        save(f"{folder}/before", ranks)
    else:  # as MindSpore divides a whole checkpoint
        ms.transform_checkpoints(f"{folder}/whole", f"{folder}/before", "net", None, src)
    ms.transform_checkpoints(f"{folder}/before", f"{folder}/after", "net", src, dst)
    count = len(glob.glob(f"{folder}/after/rank_*"))
    return {
        "src": None if src is None else open(src, "rb").read().hex(),
        "dst": None if dst is None else open(dst, "rb").read().hex(),
        "before": loaded(f"{folder}/before"),
        "after": loaded(f"{folder}/after"),
        "needed": [ms.rank_list_for_transform(r, src, dst) for r in range(count)],
        "redundancy": redundancy(src),
    }


def redundancy(path):
    """[layouts, ranks with the same part, {copies: stored by each rank}] of a strategy file; None
    if there is none, or if an axis is split over several, which MindSpore does not read."""
    nested = path and any(len(m.tensor_map) > 1 for m in ms.build_searched_strategy(path).values())
    if path is None or nested:
        return None
    ranks = _utils.get_parameter_redundancy(path, 8)
    kept = [_utils.remove_param_redundancy(ranks, copies) for copies in (1, 2)]
    stored = [{r: sorted(names) for r, names in sorted(x.items())} for x in kept]
    return [_utils.parse_strategy_ckpt(path), ranks, stored]


def merged(parts, layout):
    """The result of `merge_sliced_parameter`; `layout`: (dev_matrix, tensor_map, split, field)."""
    grid, tensor_map, split, field = layout
    x = message(grid, tensor_map, 0, 0)
    x.param_split_shape[0].dim.extend(split)
    x.field = field
    parts = [ms.Parameter(ms.Tensor(np.array(p, np.float32)), "w") for p in parts]
    return ms.merge_sliced_parameter(parts, {"w": x}).asnumpy().tolist()


MERGES = [
    ([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], ([2], [0, -1], [], 0)),
    ([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], ([2], [-1, 0], [], 0)),
    ([[[0, 1], [2, 3]]] * 2 + [[[4, 5], [6, 7]]] * 2, ([2, 2], [1, -1], [], 0)),
    ([[[0, 1]], [[4, 5], [6, 7]]], ([2], [0, -1], [1, 2], 0)),
    ([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], ([2], [0, -1], [], 2)),
]


def rank_checkpoints(library):
    found = {"cases": {}, "merges": []}
    for name, (before, after) in CASES.items():
        try:
            found["cases"][name] = record(before, after)
        except Exception as error:  # noqa: BLE001 - which cases MindSpore refuses is looked at
            print(name, type(error), error)
    for parts, layout in MERGES:
        found["merges"].append([parts, layout, merged(parts, layout)])
    return {"rank_checkpoints.json": json.loads(json.dumps(found, default=int))}
