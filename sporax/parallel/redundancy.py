"""Ranks that hold the same part of a parameter, and checkpoints that store each part once."""

import math
from typing import Any

import numpy as np

from sporax._src.devices import distributed
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection
from sporax.io import untrusted_file
from sporax.nn.cell import Cell
from sporax.parallel import strategy_file
from sporax.parallel.slices import Slicing, described_in, slicings


def parse_strategy_ckpt(file_name: str) -> dict[str, list]:
    """Return {parameter: [device matrix, tensor map, optimizer's step, optimizer's size]} of a
    strategy file, as lists of ints; the tensor map has a list for a dimension that several axes
    divide.

    >>> import tempfile; path = tempfile.mkdtemp() + "/strategy.ckpt"
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(path, {"w": strategy_file.layout([2, 2], [1, -1])})
    >>> parse_strategy_ckpt(path)
    {'w': [[2, 2], [1, -1], 0, 0]}
    """
    layouts = {}
    slicings("parse_strategy_ckpt", file_name)  # raises if they are invalid
    for name, layout in strategy_file.read("parse_strategy_ckpt", file_name).items():
        maps = [list(m.dim) for m in layout.tensor_map] or [[]]
        layouts[name] = [
            list(layout.dev_matrix[0].dim), maps if len(maps) > 1 else maps[0],
            layout.opt_weight_shard_step, layout.opt_weight_shard_size,
        ]  # fmt: skip
    return layouts


def get_parameter_redundancy(
    layout_obj: str | dict | Cell, initial_rank: int | None = None
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return {parameter: tuples of the ranks that hold the same part of it}, sorted by name.

    `layout_obj`: the path of a strategy file; a dict of lists [device matrix, tensor map, shape of
    a part, field, step, group among which the optimizer divides the parameter]; or a Cell, whose
    Parameters all ranks hold whole. `initial_rank`: the first rank of the pipeline stage, by
    default the first of this process's stage.

    >>> get_parameter_redundancy({"w": [[2, 2], [1, -1]]}, initial_rank=4)
    {'w': ((4, 5), (6, 7))}
    """
    who = "get_parameter_redundancy"
    kinds.instance((str, dict, Cell), "a-file-a-dict-or-a-cell")(who, layout_obj=layout_obj)
    if isinstance(layout_obj, Cell):
        ranks: Any = distributed.get_process_group_ranks()
        whole = (tuple(ranks),)
        return dict.fromkeys(sorted(p.name for p in layout_obj.get_parameters()), whole)
    if isinstance(layout_obj, str):
        messages = strategy_file.read(who, layout_obj)
        with described_in(who, layout_obj):
            slicings = {
                name: Slicing.from_message(name, message) for name, message in messages.items()
            }
    else:
        slicings = {name: Slicing.from_list(name, _with_size(x)) for name, x in layout_obj.items()}
    if initial_rank is None and slicings:
        stage = math.prod(next(iter(slicings.values())).dev_matrix)
        initial_rank = distributed.get_rank() // stage * stage
    return {name: _groups(slicings[name], initial_rank) for name in sorted(slicings)}


def _with_size(entry):
    """Return a layout's list with the optimizer's group replaced by its size."""
    entry = [*entry, *[0] * (6 - len(entry))]
    group = entry[5]
    size_of: Any = distributed.get_group_size
    size = size_of(group) if isinstance(group, str) and group else 0
    return [*entry[:4], 1, size] if size else entry[:4]


def _groups(slicing: Slicing, first):
    """Return the ranks of each part, ordered by grid coordinates, the last axis first."""
    used, ranks = {axis for axes in slicing.tensor_map for axis in axes}, {}
    for rank in range(slicing.ranks):
        coordinates = np.unravel_index(rank, slicing.dev_matrix)
        position = [int(coordinates[axis]) for axis in sorted(used, reverse=True)]
        key = (*position, slicing.optimizer_part(coordinates))
        ranks.setdefault(key, []).append(rank + first)
    return tuple([tuple(ranks[key]) for key in sorted(ranks)])


def remove_param_redundancy(
    param_redundancy_dict: dict, keep_redundancy: int = 1
) -> dict[int, set[str]]:
    """Return {rank: parameters to store}, such that each part is stored by `keep_redundancy` of the
    ranks that hold it, in rotation.

    `param_redundancy_dict`: as returned by `get_parameter_redundancy`.

    >>> remove_param_redundancy({"a": ((0, 1),), "b": ((0, 1),)})
    {0: {'a'}, 1: {'b'}}
    """
    kinds.DICT("remove_param_redundancy", param_redundancy_dict=param_redundancy_dict)  # fmt: skip
    kinds.POSITIVE_INT("remove_param_redundancy", keep_redundancy=keep_redundancy)
    names, stored = {}, {}
    for name, groups in param_redundancy_dict.items():
        for ranks in groups:
            names.setdefault(tuple(ranks), []).append(name)
    for copy in range(keep_redundancy):
        for ranks, of_group in names.items():
            for i, name in enumerate(of_group):
                stored.setdefault(ranks[(i + copy) % len(ranks)], set()).add(name)
    return stored


def parse_hccl_file(hccl_file_path: str) -> dict[int, str]:
    """Return {rank: device address} of the JSON file that describes a cluster (a rank table).

    Raises ValueError for a file of another format.

    >>> import json, pathlib, tempfile; path = tempfile.mkdtemp() + "/hccl.json"
    >>> device = {"rank_id": "0", "device_ip": "10.1.2.3"}
    >>> _ = pathlib.Path(path).write_text(json.dumps({"server_list": [{"device": [device]}]}))
    >>> parse_hccl_file(path)
    {0: '10.1.2.3'}
    """
    with untrusted_file.opened(hccl_file_path) as file:
        try:
            servers = untrusted_file.json_of(file.read())["server_list"]
            devices = [device for server in servers for device in server["device"]]
            return {int(device["rank_id"]): device["device_ip"] for device in devices}
        except untrusted_file.MALFORMED as error:
            path, who = hccl_file_path, "parse_hccl_file"
            raise rejection("file-of-servers", who, path=path, cause=error) from None


__all__ = [
    "get_parameter_redundancy", "parse_hccl_file", "parse_strategy_ckpt", "remove_param_redundancy",
]  # fmt: skip
