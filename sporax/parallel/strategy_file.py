"""Strategy files: the layout of each parameter over ranks, in MindSpore's protobuf messages (and in
JSON), read and written without a protobuf library.
"""

import glob
import json
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sporax._src.diagnosis.rules import rejection, require
from sporax.io import atomic_write, protobuf, untrusted_file
from sporax.io.corrupt_file import CorruptFile
from sporax.io.untrusted_file import MALFORMED

# message -> {field: (name, type: int, str, or another message; whether it is repeated)};
# node_strategy.proto of MindSpore 2.10
_DIMS = {1: ("dim", int, True)}
_STRATEGYS = {1: ("stage", int, False), 2: ("parallel_strategy", _DIMS, True)}
_LAYOUTS = {
    1: ("dev_matrix", _DIMS, True),
    2: ("tensor_map", _DIMS, True),
    3: ("param_split_shape", _DIMS, True),
    4: ("indices_offset", _DIMS, True),
    5: ("field", int, False),
    6: ("opt_weight_shard_step", int, False),
    7: ("opt_weight_shard_size", int, False),
}
_STRATEGY_ITEM = {1: ("node_name", str, False), 2: ("parallel_strategys", _STRATEGYS, False)}
_LAYOUT_ITEM = {1: ("param_name", str, False), 2: ("parallel_layouts", _LAYOUTS, False)}
_STRATEGY_MAP = {
    1: ("current_stage", int, False),
    2: ("parallel_strategy_item", _STRATEGY_ITEM, True),
    3: ("parallel_layout_item", _LAYOUT_ITEM, True),
}
_GROUP_ITEM = {1: ("group_name", str, False), 2: ("parallel_group_ranks", _DIMS, False)}
_GROUP_MAP = {
    1: ("parallel_group_item", _GROUP_ITEM, True),
    2: ("ckpt_restore_rank_list", _DIMS, False),
}
_NUMBERS = ("field", "opt_weight_shard_step", "opt_weight_shard_size")
_SLOTS = ("dev_matrix", "tensor_map", "param_split_shape", "indices_offset")  # lists in JSON


class Message:
    """A protobuf message: its fields as attributes."""

    if TYPE_CHECKING:  # `fields` names them

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self, fields, **values):
        self._fields = fields
        for name, kind, is_list in fields.values():
            if name not in values:
                empty = list if is_list else kind if callable(kind) else partial(Message, kind)
                values[name] = empty()
            setattr(self, name, values[name])

    def __repr__(self):
        shown = ", ".join(f"{n}={getattr(self, n)!r}" for n, _, _ in self._fields.values())
        return f"Message({shown})"


def decoded(data: bytes, fields: Any) -> Message:
    """Decode a `Message` from bytes."""
    values: dict[str, Any] = {}
    for field, wire, value in protobuf.fields(data, "its message"):
        name, kind, is_list = fields.get(field, (None, None, False))
        if name is None:
            continue
        fits = (kind is int) == (wire == protobuf.VARINT) or (kind is int and is_list)
        require(fits, "field-another-kind", name=name, error=CorruptFile)
        if kind is int:  # single values, or the packed form of a list
            numbers = [value] if wire == protobuf.VARINT else protobuf.varints(value)
            items = list(map(protobuf.signed, numbers))
        elif kind is str:
            items = [bytes(value).decode()]
        else:
            items = [decoded(value, kind)]
        if is_list:
            values.setdefault(name, []).extend(items)
        else:
            values[name] = items[-1]
    return Message(fields, **values)


def encoded(message: Message) -> bytes:
    """Encode a `Message` as bytes."""
    chunks = []
    for field, (name, kind, is_list) in message._fields.items():
        value = getattr(message, name)
        for item in value if is_list else [value]:
            if kind is int:
                chunks.append(bytes([field << 3]) + protobuf.varint(item & (1 << 64) - 1))
            else:
                content = item.encode() if kind is str else encoded(item)
                chunks.append(protobuf.block(field, content))
    return b"".join(chunks)


def layout(
    dev_matrix: Sequence[int],
    tensor_map: Sequence[Any],
    param_split_shape: Sequence[int] = (),
    field: int = 0,
    step: int = 0,
    size: int = 0,
) -> Message:
    """Create the layout message of a parameter: `tensor_map` has for each dimension the axis of
    `dev_matrix`, counted from the last, or -1, or a list of axes."""
    maps = [list(tensor_map)]
    if any(isinstance(item, (list, tuple)) for item in tensor_map):
        maps = [list(n) if isinstance(n, (list, tuple)) else [n] for n in tensor_map]
    return Message(
        _LAYOUTS, dev_matrix=[_dims(dev_matrix)], tensor_map=[_dims(m) for m in maps],
        param_split_shape=[_dims(param_split_shape)], indices_offset=[_dims(())], field=field,
        opt_weight_shard_step=step, opt_weight_shard_size=size,
    )  # fmt: skip


def _dims(numbers):
    return Message(_DIMS, dim=[int(n) for n in numbers])


# files ----------------------------------------------------------------------------------------


def _content(who, path):
    require(isinstance(path, str), "strategy-file-string", who, got=path)
    is_filled = os.path.isfile(path) and os.path.getsize(path) != 0
    require(is_filled, "strategy-file-exist-not", who, path=path)
    return untrusted_file.content(path)


def _message(who, path, fields=None) -> tuple[Any, Any]:
    """Return (the message in a file, None), or (None, the object in a JSON file)."""
    content = _content(who, path)
    try:
        if path.endswith(".json"):
            return None, _checked_json(untrusted_file.json_of(content))
        return decoded(content, fields or _STRATEGY_MAP), None
    except (CorruptFile, *MALFORMED) as error:
        cause = untrusted_file.cause(error)
        raise rejection("strategy-file-json-json", who, path=path, cause=cause) from None


def _checked_json(content):
    """Return a strategy in JSON; raise if it is invalid."""
    for item in content.get("parallel_layout_item", {}).values():
        numbers = [item.get(name, 0) for name in _NUMBERS]
        numbers += [n for slot in _SLOTS for m in _slot(item.get(slot, [])) for n in m.dim]
        are_ints = all(type(n) is int for n in numbers)
        require(are_ints, "layout-ints-lists-ints", item=item)
    nodes = content.get("parallel_strategy_item", {}).values()
    are_ints = all(type(node.get("stage")) is int for node in nodes)
    require(are_ints, "node-int", argument="stage")
    return content


def read(who: str, path: str) -> dict[str, Message]:
    """Return {parameter: layout message} of a strategy file."""
    message, as_json = _message(who, path)
    if message is not None:
        return {item.param_name: item.parallel_layouts for item in message.parallel_layout_item}
    return {
        name: Message(
            _LAYOUTS,
            **{number: item.get(number, 0) for number in _NUMBERS},
            **{slot: _slot(item.get(slot, [])) for slot in _SLOTS},
        )
        for name, item in as_json.get("parallel_layout_item", {}).items()
    }


def _slot(numbers):
    nested = any(isinstance(n, list) for n in numbers)
    return [_dims(n if isinstance(n, list) else [n]) for n in numbers] if nested else [
        _dims(numbers)
    ]  # fmt: skip


def write(path: str, layouts: dict[str, Message], stage: int = 0) -> None:
    """Write {parameter: layout message} as a strategy file of a pipeline stage."""
    items = [
        Message(_LAYOUT_ITEM, param_name=name, parallel_layouts=x) for name, x in layouts.items()
    ]
    node = Message(
        _STRATEGY_ITEM, node_name="parameters", parallel_strategys=Message(_STRATEGYS, stage=stage)
    )
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    if path.endswith(".json"):
        atomic_write.write(path, json.dumps(_as_json(stage, [node], items)).encode("utf8"))
        return
    strategy = Message(
        _STRATEGY_MAP, current_stage=stage, parallel_strategy_item=[node],
        parallel_layout_item=items,
    )  # fmt: skip
    atomic_write.write(path, encoded(strategy))


def _as_json(stage, nodes, items):
    def numbers(slot, x):
        lists = [m.dim for m in getattr(x, slot)]
        return (lists if len(lists) > 1 else lists[0]) if lists else []

    return {
        "current_stage": stage,
        "parallel_strategy_item": {
            n.node_name: {
                "stage": n.parallel_strategys.stage,
                "parallel_strategy": [s.dim for s in n.parallel_strategys.parallel_strategy],
            }
            for n in nodes
        },
        "parallel_layout_item": {
            i.param_name: {slot: numbers(slot, i.parallel_layouts) for slot in _SLOTS}
            | {n: getattr(i.parallel_layouts, n) for n in _NUMBERS}
            for i in items
        },
    }


# MindSpore's names ----------------------------------------------------------------------------


def build_searched_strategy(strategy_filename: str) -> dict[str, Message]:
    """Return {name: layout} of the parameters in a strategy file; None for None.

    A layout has `dev_matrix`, `tensor_map`, `param_split_shape` and `indices_offset`, lists of
    messages with a list `dim`, and the ints `field`, `opt_weight_shard_step` and
    `opt_weight_shard_size`. Raises TypeError if the argument is not a string or the file not a
    strategy file, ValueError if the file is missing or empty.

    >>> import tempfile; path = tempfile.mkdtemp() + "/strategy.ckpt"
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(path, {"w": strategy_file.layout([2, 2], [1, -1])})
    >>> build_searched_strategy(path)["w"].tensor_map[0].dim
    [1, -1]
    """
    if strategy_filename is None:
        return None
    return read("build_searched_strategy", strategy_filename)


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Return the ranks whose checkpoints can replace this rank's, from a group info file.

    >>> import pathlib, tempfile
    >>> path = tempfile.mkdtemp() + "/group_info.pb"
    >>> _ = pathlib.Path(path).write_bytes(bytes([18, 4, 8, 0, 8, 4]))
    >>> restore_group_info_list(path)
    [0, 4]
    """
    message, _ = _message("restore_group_info_list", group_info_file_name, _GROUP_MAP)
    ranks = [] if message is None else message.ckpt_restore_rank_list.dim
    require(ranks, "file-list-ranks-restore", "restore_group_info_list", path=group_info_file_name)
    return ranks


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Merge the strategy files of all pipeline stages in a folder into one, which prefixes each
    parameter's name with its stage.

    Raises NotADirectoryError if the folder does not exist, ValueError if it has both `.ckpt` and
    `.json` files, or an empty one.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> from sporax.parallel import strategy_file
    >>> for stage in (0, 1):
    ...     layouts = {f"w{stage}": strategy_file.layout([2], [0])}
    ...     strategy_file.write(f"{folder}/{stage}.ckpt", layouts, stage)
    >>> merge_pipeline_strategys(folder, folder + "/merged/all.ckpt")
    >>> list(build_searched_strategy(folder + "/merged/all.ckpt"))
    ['0-w0', '1-w1']
    """
    who = "merge_pipeline_strategys"
    is_folder, error = os.path.isdir(src_strategy_dirs), NotADirectoryError
    require(is_folder, "existing-folder", who, error, src_strategy_dirs=src_strategy_dirs)
    files = {kind: sorted(glob.glob(os.path.join(src_strategy_dirs, f"*.{kind}")))
             for kind in ("ckpt", "json")}  # fmt: skip
    require(not all(files.values()), "files-of-two-formats", who, folder=src_strategy_dirs)
    os.makedirs(os.path.dirname(os.path.abspath(dst_strategy_file)), exist_ok=True)
    if files["ckpt"]:
        content = encoded(_joined(who, files["ckpt"]))
    else:
        content = json.dumps(_joined_json(who, files["json"])).encode("utf8")
    atomic_write.write(dst_strategy_file, content)


def _joined(who, paths):
    joined = Message(_STRATEGY_MAP, current_stage=1)
    stages = set()
    for path in paths:
        message, _ = _message(who, path)
        nodes, items = message.parallel_strategy_item, message.parallel_layout_item
        stage = _stage(who, path, nodes and items and nodes[0].parallel_strategys.stage)
        if stage not in stages:
            stages.add(stage)
            for item in items:
                item.param_name = f"{stage}-{item.param_name}"
            joined.parallel_strategy_item += nodes
            joined.parallel_layout_item += items
    return joined


def _joined_json(who, paths):
    joined: dict[str, Any] = {
        "current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {},
    }  # fmt: skip
    stages = set()
    for path in paths:
        _, content = _message(who, path)
        nodes, items = content.get("parallel_strategy_item"), content.get("parallel_layout_item")
        stage = _stage(who, path, nodes and items and next(iter(nodes.values()))["stage"])
        if stage not in stages:
            stages.add(stage)
            joined["parallel_strategy_item"] |= nodes
            joined["parallel_layout_item"] |= {f"{stage}-{n}": item for n, item in items.items()}
    return joined


def _stage(who, path, stage):
    require(isinstance(stage, int), "strategy-file-not-empty", who, path=path)
    return stage
