"""`obfuscate_ckpt`: checkpoints multiplied by secret factors, and networks that undo it."""

import functools
import re
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io.checkpoint import load_checkpoint, save_checkpoint
from sporax.nn.cell import Cell
from sporax.nn.container import CellList

_CONFIGS = ("obf_metadata_config", "weight_obf_config", "network_obf_config")
_METADATA = "obf_metadata"


def obfuscate_ckpt(
    network, ckpt_files, target_modules=None, obf_config=None, saved_path="./", obfuscate_scale=100
):
    """Multiply weights of checkpoints by random factors, without which they cannot be used.

    `ckpt_files`: a folder; for each `name.ckpt` in it or in a direct subfolder, `name_obf.ckpt` is
    written below `saved_path`. `target_modules`: a list of a path of Cells, such as
    "backbone/blocks/attention", and the names of layers there, "dense1|dense2", whose `weight` and
    `bias` are multiplied by a random integer below `obfuscate_scale`; a third item
    "obfuscate_layers:3" selects the first three Cells of each CellList on the path, ":all" all.
    `obf_config`: instead of `target_modules`, a dict of lists `obf_metadata_config` (name, shape,
    type, layers) and `weight_obf_config` (target, weight_obf_ops, layers), whose operations are
    'mul', 'permuate' and 'matmul'.

    Returns {name: array} for `load_obf_params_into_net`. Samples from `numpy.random`.

    >>> import tempfile
    >>> net, folder = nn.SequentialCell(nn.Dense(2, 2)), tempfile.mkdtemp()
    >>> ms.save_checkpoint(net, f"{folder}/a.ckpt")
    >>> list(ms.obfuscate_ckpt(net, folder, ["", "0"], saved_path=folder))
    ['obf_metadata']
    """
    _check_network(network)
    for name, path in {"ckpt_files": ckpt_files, "saved_path": saved_path}.items():
        _check_folder(name, path)
    config = _config("obfuscate_ckpt", network, target_modules, obf_config, _CONFIGS[:2])
    kinds.NUMBER("obfuscate_ckpt", obfuscate_scale=obfuscate_scale)
    require(obfuscate_scale > 1, "larger-1", "obfuscate_ckpt", obfuscate_scale=obfuscate_scale)
    drawn, kept = {}, {}
    for row in config["obf_metadata_config"]:
        for name in _per_layer(row, row.get("name")):
            if name in drawn:
                continue
            drawn[name] = _draw(row.get("shape"), row.get("type"), obfuscate_scale)
            if row.get("save_metadata", False):
                kept[name] = _inverse(drawn[name], row.get("metadata_op"))
    source, target = Path(ckpt_files), Path(saved_path)
    for path in sorted([*source.glob("*.ckpt"), *source.glob("*/*.ckpt")]):
        folder = target / path.parent.relative_to(source)
        folder.mkdir(mode=0o700, exist_ok=True)
        parameters = load_checkpoint(str(path))
        entries = [
            {"name": name, "data": _obfuscated(name, value, config["weight_obf_config"], drawn)}
            for name, value in parameters.items()
        ]
        save_checkpoint(entries, str(folder / f"{path.name.split('.')[0]}_obf.ckpt"))
    return kept


def load_obf_params_into_net(
    network, target_modules=None, obf_ratios=None, obf_config=None, data_parallel_num=1, **kwargs
):
    """Make a network that has loaded an obfuscated checkpoint compute the original results.

    `target_modules`, `obf_config`: as for `obfuscate_ckpt`; in the config, `network_obf_config`
    (module, target, insert_ops, layers) selects the layers whose outputs are multiplied.
    `obf_ratios`: the dict that `obfuscate_ckpt` returned, or a Tensor if it has one entry. Without
    it, the network is returned unchanged and computes wrong results. `data_parallel_num`,
    `ignored_func_decorators` and `ignored_class_decorators` have no effect: no source is parsed.

    >>> net = nn.SequentialCell(nn.Dense(2, 2))
    >>> before = net(Tensor([[1.0, 2.0]]))
    >>> for parameter in net.get_parameters():
    ...     _ = parameter.set_data(parameter * 4)
    >>> net = ms.load_obf_params_into_net(net, ["", "0"], obf_ratios=Tensor([0.25]))
    >>> bool((net(Tensor([[1.0, 2.0]])) == before).all())
    True
    """
    who = "load_obf_params_into_net"
    _check_network(network, who)
    config = _config(who, network, target_modules, obf_config, _CONFIGS[2:])
    kinds.POSITIVE_INT(who, data_parallel_num=data_parallel_num)
    known = {"ignored_func_decorators", "ignored_class_decorators"}
    if not kwargs.keys() <= known:
        raise rejection("keywords", who, names=" or ".join(sorted(known)), got=sorted(kwargs))
    if obf_ratios is None:
        return network
    kinds.instance((Tensor, dict), "a-tensor-or-a-dict")(who, obf_ratios=obf_ratios)
    ratios = {_METADATA: obf_ratios} if isinstance(obf_ratios, Tensor) else obf_ratios
    for row in config["network_obf_config"]:
        for layer in row.get("layers") or [None]:
            path = "/".join([row.get("module", "").strip("/"), row.get("target", "")])
            cell = _cell_at(network, _of_layer(path, layer).strip("/"))
            for operation in row.get("insert_ops", []):
                _undo(cell, operation, ratios, layer)
    return network


def _undo(cell, operation, ratios, layer):
    """Register a hook that multiplies the outputs of a Cell."""
    kind, who = operation.get("name"), "load_obf_params_into_net"
    require(kind == "mul", "operation-insert-ops-mul", who, got=kind)
    name = _of_layer(operation.get("input_y", ""), layer)
    require(name in ratios, "has-ratio", who, obf_ratios=sorted(ratios), name=name)
    value = ratios[name]
    ratio = value if isinstance(value, Tensor) else Tensor(value)
    cell.register_forward_hook(lambda cell, inputs, out: out * ratio.astype(out.dtype))


# what is to be done ---------------------------------------------------------------------------


def _config(who, network, target_modules, config, needed):
    """Return the checked `config`, or one for `target_modules` if it is None."""
    if config is None:
        return _config_of_modules(who, network, target_modules)
    kinds.DICT(who, obf_config=config)
    for name in needed:
        if not isinstance(config.get(name), list) or not config[name]:
            raise rejection("has-lists", who, obf_config=config.get(name), names=needed, name=name)
    unknown = sorted(set(config) - set(_CONFIGS))
    if unknown:
        raise rejection("has-keys-only", who, obf_config=unknown, names=_CONFIGS)
    return config


def _checked_modules(who, modules):
    """Return (path, names, Cells per CellList or None for all) of `target_modules`."""
    kinds.LIST(who, target_modules=modules)
    require(len(modules) >= 2, "path-names-layers-such", who, target_modules=modules)
    for module in modules:
        kinds.instance(str, "some-strings")(who, target_modules=module)
    path, names, *layers = modules
    limit = re.fullmatch(r"obfuscate_layers:(all|\d+)", layers[0] if layers else "")
    if not re.fullmatch(r"[\w/]*", path) or not re.fullmatch(r"[\w|]+", names):
        raise rejection("path-b-names-d1", who, target_modules=modules[:2])
    if layers and limit is None:
        raise rejection("third-target-modules-obfuscate-layers-all", who, got=layers[0])
    count = None if limit is None or limit[1] == "all" else int(limit[1])
    return path, [name for name in names.split("|") if name], count


def _config_of_modules(who, network, modules):
    path, names, count = _checked_modules(who, modules)
    config = {name: [] for name in _CONFIGS}
    for layer, parent, cell in _parents(who, network, path, count):
        metadata = _METADATA if layer is None else f"{_METADATA}_{layer}"
        multiply = [{"name": "mul", "input_x": "weight", "input_y": metadata}]
        config["obf_metadata_config"].append(
            {"name": metadata, "shape": [1], "type": "random", "save_metadata": True,
             "metadata_op": "invert"}
        )  # fmt: skip
        for name in filter(functools.partial(hasattr, cell), names):
            target = f"{parent}/{name}".strip("/")
            for parameter in ("weight", "bias"):
                row = {"target": f"{target}/{parameter}", "weight_obf_ops": multiply}
                config["weight_obf_config"].append(row)
            row = {"module": parent, "target": name, "insert_ops": multiply}
            config["network_obf_config"].append(row)
    has_layers = config["network_obf_config"]
    require(has_layers, "layers-of-path", who, path=path, names=names)
    return config


def _parents(who, network, path, count):
    """Return (layer number, path, Cell) of each Cell at `path`, expanding CellLists."""
    cells = [(None, "", network)]
    for segment in path.split("/") if path else []:
        after = []
        for layer, name, cell in cells:
            inner, whole = getattr(cell, segment, None), f"{name}/{segment}".strip("/")
            is_cell, arguments = isinstance(inner, Cell), "'target_modules'"
            fields = {"names": arguments, "path": path, "part": segment, "cell": cell}
            require(is_cell, "path-to-cell", who, **fields)
            if not isinstance(inner, CellList):
                after.append((layer, whole, inner))
                continue
            for i, one in enumerate(list(inner)[:count]):
                number = str(i) if layer is None else f"{layer}_{i}"
                after.append((number, f"{whole}/{i}", one))
        cells = after
    return cells


def _cell_at(network, path):
    who, names = "load_obf_params_into_net", ("'module'", "'target'")
    for segment in path.split("/"):
        cell: Any = network
        network = cell[int(segment)] if segment.isdigit() else getattr(cell, segment, 0)
        is_cell = isinstance(network, Cell)
        require(is_cell, "path-to-cell", who, names=names, path=path, part=segment, cell=cell)
    return network


def _of_layer(text, layer):
    return text if layer is None else Template(text).safe_substitute(layer=str(layer))


def _per_layer(row, text):
    """Return a name per layer of a row, or one name if it has no layers."""
    kinds.STR("obfuscate_ckpt", name=text)
    return [_of_layer(text, layer) for layer in row.get("layers") or [None]]


# the numbers ----------------------------------------------------------------------------------


def _draw(shape, kind, scale):
    shape = tuple(shape or ())
    if kind == "random":
        return np.random.randint(1, scale, size=shape).astype(np.float16)
    if kind == "rearrange" and len(shape) == 1:
        return np.random.permutation(shape[0]).astype(np.int32)
    if kind == "rearrange" and len(shape) == 2:
        return np.identity(shape[0], np.int32)[:, np.random.permutation(shape[1])]
    raise rejection("metadata-random-rearrange-shape", "obfuscate_ckpt", type=kind, shape=shape)


def _inverse(values, operation):
    fits = operation in (None, "invert")
    require(fits, "invert-or-none", "obfuscate_ckpt", metadata_op=operation)
    return values if operation is None else (1 / values).astype(values.dtype)


def _obfuscated(name, parameter, rows, drawn):
    """Apply the operations of all rows that target a checkpoint's parameter."""
    path, value = name.replace(".", "/"), parameter.asnumpy()
    for row in rows:
        fits = row.get("target") and row.get("weight_obf_ops")
        require(fits, "has-target-and-operations", "obfuscate_ckpt", got=row)
        for layer in row.get("layers") or [None]:
            if _of_layer(row["target"], layer).strip("/") != path:
                continue
            for operation in row["weight_obf_ops"]:
                value = _applied(operation, value, drawn, layer)
    return Parameter(Tensor(value), name=name)


def _applied(operation, value, drawn, layer):
    def metadata(which):
        name = _of_layer(operation.get(which, ""), layer)
        fields = {"argument": which, "operation": kind, "names": sorted(drawn), "got": name}
        require(name in drawn, "name-of-metadata", "obfuscate_ckpt", **fields)
        return drawn[name]

    def operand(which):
        is_metadata = str(operation.get(which)).startswith(_METADATA)
        return metadata(which) if is_metadata else value

    kind = operation.get("name")
    if kind == "mul":
        return value * metadata("input_y").astype(value.dtype)
    if kind == "permuate":
        return value[metadata("input_x")]
    if kind == "matmul":
        left, right = operand("input_x"), operand("input_y")
        left = left.T if operation.get("transpose_a", False) else left
        right = right.T if operation.get("transpose_b", False) else right
        return np.matmul(left.astype(value.dtype), right.astype(value.dtype))
    raise rejection("operation-weight-obf-ops-mul-permuate", "obfuscate_ckpt", got=kind)


def _check_network(network, who="obfuscate_ckpt"):
    kinds.instance(Cell, "a-cell")(who, network=network)


def _check_folder(name, path):
    kinds.STR("obfuscate_ckpt", **{name: path})
    require(Path(path).exists(), "folder-not", "obfuscate_ckpt", argument=name, path=path)
    require(Path(path).is_dir(), "folder-file", "obfuscate_ckpt", argument=name, path=path)
