"""Checkpoints of many ranks: merged, and divided for another number of ranks or strategy."""

import glob
import math
import os
import re

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.devices import distributed
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import load_checkpoint, load_param_into_net, save_checkpoint
from sporax.nn.cell import Cell
from sporax.parallel import slices, strategy_file

_FORMATS = ("ckpt", "safetensors")
_RANK = re.compile(r"rank_(\d+)$")
_UNSAVED = ("accu_grads", "inputs")  # name prefixes of what is neither a weight nor a state


# parts of one parameter -----------------------------------------------------------------------


def merge_sliced_parameter(sliced_parameters, strategy=None):
    """Merge the parts of a Parameter, in rank order, into the whole Parameter.

    `strategy`: {name: layout} as from `build_searched_strategy`; None: the parts are concatenated
    along dimension 0.

    >>> parts = [Parameter(Tensor([1.0, 2.0]), "w"), Parameter(Tensor([3.0, 4.0]), "w")]
    >>> merge_sliced_parameter(parts).asnumpy()
    array([1., 2., 3., 4.], dtype=float32)
    """
    who = "merge_sliced_parameter"
    kinds.LIST(who, sliced_parameters=sliced_parameters)
    require(sliced_parameters, "elements-empty", who, argument="sliced_parameters")
    if strategy:
        kinds.DICT(who, strategy=strategy)
    for p in sliced_parameters:
        kinds.instance(Parameter, "a-list-of-parameters")(who, sliced_parameters=p)
    first = sliced_parameters[0]
    for k, p in enumerate(sliced_parameters):
        fits = (p.name, p.ndim, p.shape[1:]) == (first.name, first.ndim, first.shape[1:])
        own, other = (p.name, p.shape), (first.name, first.shape)
        require(fits, "parts-one-name-one", who, k=k, part=own, first=other)
    arrays = [p.asnumpy() for p in sliced_parameters]
    fits = not strategy or first.name in strategy
    require(fits, "strategy-without-name", who, argument="strategy", name=first.name)
    if not strategy:
        whole = np.concatenate(arrays)
    else:
        whole = _joined(who, arrays, slices.slicings(who, {first.name: strategy[first.name]}))
    return Parameter(Tensor(whole), first.name, first.requires_grad, first.layerwise_parallel)


def _joined(who, arrays, slicings):
    ((name, slicing),) = slicings.items()
    n, fields = len(arrays), {"ranks": slicing.ranks, "grid": slicing.dev_matrix}
    require(n == slicing.ranks, "part-ranks-device-matrix", who, count=n, **fields)
    if slicing.split_shape:
        return _joined_unevenly(who, arrays, slicing)
    require(len({a.shape for a in arrays}) <= 1, "parts-one-shape-layout", who)
    if slicing.field > 0:
        fields = [a.reshape(slicing.field, -1, *a.shape[1:]) for a in arrays]
        return np.concatenate(fields, 1).reshape(-1, *arrays[0].shape[1:])
    return slices.assembled(name, dict(enumerate(arrays)), slicing, slices.WHOLE, 0)


def _joined_unevenly(who, arrays, slicing):
    """Merge parts whose sizes along dimension 0 are `split_shape`, by the index of the part."""
    counts, sizes = slicing.shard_counts(), slicing.split_shape
    fits, n, pieces = len(sizes) == math.prod(counts), math.prod(counts), {}
    require(fits, "size-parts", who, param_split_shape=sizes, n=n)
    for rank, array in enumerate(arrays):
        number = int(np.ravel_multi_index(slicing.index(rank), counts))
        got, size = array.shape[0], sizes[number]
        require(got == size, "part-size-dimension-0", who, number=number, size=size, got=got)
        pieces[number] = array
    level = [pieces[k] for k in range(n)]
    for dim in reversed(range(len(counts))):
        n = counts[dim]
        level = [np.concatenate(level[k : k + n], dim) for k in range(0, len(level), n)]
    return level[0]


# parts of files -------------------------------------------------------------------------------


def rank_list_for_transform(rank_id, src_strategy_file=None, dst_strategy_file=None):
    """Return the ranks whose checkpoints are needed for the one of `rank_id` under another
    strategy.

    `src_strategy_file`, `dst_strategy_file`: the division of parameters before and after; None:
    not divided. Returns a list, the last rank first.

    >>> import tempfile; path = tempfile.mkdtemp() + "/strategy.ckpt"
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(path, {"w": strategy_file.layout([4], [0])})
    >>> rank_list_for_transform(0, path, None)
    [3, 2, 1, 0]
    """
    who = "rank_list_for_transform"
    kinds.INT(who, rank_id=rank_id)
    if src_strategy_file is None:
        return [0]
    source, target = _of_rank(who, rank_id, src_strategy_file, dst_strategy_file)
    require(source, "say-how-parameters-divided", who, src_strategy_file=src_strategy_file)
    return _ranks_needed(source, target, rank_id)


def _of_rank(who, rank, src, dst):
    """Return (slicings before, slicings after) of the parameters that a rank has afterwards."""
    source, target = slices.slicings(who, src), slices.slicings(who, dst)
    if target:
        stage = rank // next(iter(target.values())).ranks
        target = slices.slicings(who, dst, stage)
        gone = {name for name, slicing in target.items() if stage not in slicing.stages}
        target = {name: s for name, s in target.items() if name not in gone}
        source = source and {name: s for name, s in source.items() if name not in gone}
    return source, target


def _ranks_needed(source, target, rank):
    ranks, pairs = set(), set()
    for name, slicing in source.items():
        if target is None or name in target:
            after = slices.WHOLE if target is None else target[name]
            pairs.add((slicing._replace(stages=()), after._replace(stages=())))
    for before, after in pairs:
        ranks.update(slices.ranks_needed(before, after, rank))
    size = next(iter(source.values())).ranks
    stages = {stage for slicing in source.values() for stage in slicing.stages}
    return sorted({stage * size + r for stage in stages for r in ranks}, reverse=True)


def transform_checkpoint_by_rank(
    rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file=None,
    dst_strategy_file=None,
):  # fmt: skip
    """Write the checkpoint of `rank_id` under another strategy.

    `checkpoint_files_map`: {rank: `.ckpt` file} for the ranks of `rank_list_for_transform`.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(f"{folder}/s.ckpt", {"w": strategy_file.layout([2], [0])})
    >>> files = {rank: f"{folder}/{rank}.ckpt" for rank in range(2)}
    >>> for rank, file in files.items():
    ...     ms.save_checkpoint([{"name": "w", "data": Tensor([float(rank)])}], file)
    >>> transform_checkpoint_by_rank(0, files, f"{folder}/all.ckpt", f"{folder}/s.ckpt")
    >>> ms.load_checkpoint(f"{folder}/all.ckpt")["w"].asnumpy()
    array([0., 1.], dtype=float32)
    """
    who = "transform_checkpoint_by_rank"
    kinds.DICT(who, checkpoint_files_map=checkpoint_files_map)
    kinds.INT(who, rank_id=rank_id)
    kinds.STR(who, save_checkpoint_file_name=save_checkpoint_file_name)
    fits = save_checkpoint_file_name.endswith(".ckpt")
    require(fits, "end-ckpt", who, save_checkpoint_file_name=save_checkpoint_file_name)
    for rank, file in checkpoint_files_map.items():
        require(os.path.isfile(file), "file-rank-exist-does", who, rank=rank, file=file)
    source, target = _of_rank(who, rank_id, src_strategy_file, dst_strategy_file)
    loaded = {rank: load_checkpoint(file) for rank, file in checkpoint_files_map.items()}
    _save(_of_files(who, loaded, source, target, rank_id), save_checkpoint_file_name, "ckpt")


def _of_files(who, loaded, source, target, rank):
    """Return {name: array} of a rank, from {rank: {name: Tensor}} of the ranks before."""
    pieces, arrays = {}, {}
    size = next(iter(source.values())).ranks if source else 1
    for r, content in sorted(loaded.items()):
        for name, tensor in content.items():
            if isinstance(tensor, Tensor):
                pieces.setdefault(name, {}).setdefault(r, tensor)
    every = _names(who, source, target)
    for name, tensors in pieces.items():
        if name not in every:  # a step count, a learning rate: from the rank itself
            own = [t for r, t in tensors.items() if r % size == rank % size]
            arrays[name] = [*own, *tensors.values()][0].asnumpy()
            continue
        if target is not None and name not in target:
            continue  # of another pipeline stage
        before = source[name] if source and name in source else slices.WHOLE
        after = target[name] if target else slices.WHOLE
        own = {r % before.ranks: t.asnumpy() for r, t in tensors.items()}
        arrays[name] = slices.assembled(name, own, before, after, rank)
    return arrays


def _names(who, source, target):
    """Return the parameters that both strategies name; None counts as naming all of them."""
    if source is None or target is None:
        return set(source or target or ())
    return source.keys() & target.keys()


def _save(arrays, path, format):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    entries = [{"name": name, "data": _tensor(array)} for name, array in arrays.items()]
    save_checkpoint(entries, path, format=format)


def _tensor(array):
    return Tensor(array, dtypes.from_numpy(array.dtype))


def transform_checkpoints(
    src_checkpoints_dir, dst_checkpoints_dir, ckpt_prefix, src_strategy_file=None,
    dst_strategy_file=None, process_num=1, output_format="ckpt",
):  # fmt: skip
    """Write the checkpoints of all ranks under another strategy.

    Reads `src_checkpoints_dir/rank_N/*.ckpt` (or `.safetensors`), the last of several in a folder;
    writes `dst_checkpoints_dir/rank_N/{ckpt_prefix}N.ckpt`, or `.safetensors` by `output_format`.
    `process_num`: accepted; one process writes them. Raises NotADirectoryError, TypeError and
    ValueError for invalid folders, names and strategies.

    >>> import os, tempfile; folder = tempfile.mkdtemp()
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(f"{folder}/s.ckpt", {"w": strategy_file.layout([2], [0])})
    >>> os.makedirs(f"{folder}/before/rank_0")
    >>> weights = [{"name": "w", "data": Tensor([1.0, 2.0])}]
    >>> ms.save_checkpoint(weights, f"{folder}/before/rank_0/a.ckpt")
    >>> transform_checkpoints(f"{folder}/before", f"{folder}/after", "a", None, f"{folder}/s.ckpt")
    >>> ms.load_checkpoint(f"{folder}/after/rank_1/a1.ckpt")["w"].asnumpy()
    array([2.], dtype=float32)
    """
    who = "transform_checkpoints"
    is_folder, error = os.path.isdir(src_checkpoints_dir), NotADirectoryError
    require(is_folder, "existing-folder", who, error, src_checkpoints_dir=src_checkpoints_dir)
    kinds.STR(who, ckpt_prefix=ckpt_prefix)
    kinds.POSITIVE_INT(who, process_num=process_num)
    kinds.one_of(*_FORMATS)(who, output_format=output_format)
    files, format = _files(who, src_checkpoints_dir)
    fits = format != "ckpt" or output_format == "ckpt"
    require(fits, "ckpt-ckpt-files", who, output_format=output_format)
    source, target = (slices.slicings(who, s) for s in (src_strategy_file, dst_strategy_file))
    loaded = _Loaded(files, format)
    if source and target and _is_part(source, target):
        _by_stage(who, loaded, dst_checkpoints_dir, ckpt_prefix, src_strategy_file, target)
        return
    for rank in range(_count(who, target)):
        needed = rank_list_for_transform(rank, src_strategy_file, dst_strategy_file)
        for r in needed:
            fields = {"rank": rank, "r": r, "folder": src_checkpoints_dir}
            require(r in files, "checkpoint-rank-rank-made", who, **fields)
        before, after = _of_rank(who, rank, src_strategy_file, dst_strategy_file)
        arrays = _of_files(who, {r: loaded[r] for r in needed}, before, after, rank)
        path = os.path.join(dst_checkpoints_dir, f"rank_{rank}", f"{ckpt_prefix}{rank}")
        _save(arrays, f"{path}.{output_format}", output_format)


class _Loaded(dict):
    """{rank: {name: Tensor}}; a file is read at the first access."""

    def __init__(self, files, format):
        super().__init__()
        self.files, self.format = files, format

    def __missing__(self, rank):
        self[rank] = load_checkpoint(self.files[rank], format=self.format)
        return self[rank]


def _is_part(source, target):
    """Return True if `source` is the strategy of one pipeline stage of the `target` strategy."""
    states = ("accu_grads", "adam_v", "adam_m")
    before, after = ({n for n in s if not n.startswith(states)} for s in (source, target))
    one_stage = all(x.stages == (0,) for s in (source, target) for x in s.values())
    return one_stage and before < after


def _by_stage(who, loaded, folder, prefix, src, target):
    source = slices.slicings(who, src)
    target = {name: target[name] for name in source if name in target}
    size = next(iter(source.values())).ranks
    stage = _stage_of(who, src)
    ranks = {r: loaded[r] for r in range(stage * size, (stage + 1) * size) if r in loaded.files}
    for rank in range(next(iter(target.values())).ranks):
        path = os.path.join(folder, f"rank_{rank}", f"{prefix}{rank}_part{stage}.ckpt")
        _save(_of_files(who, ranks, source, target, rank), path, "ckpt")


def _stage_of(who, path):
    message, content = strategy_file._message(who, path)
    if message is not None:
        stages = [node.parallel_strategys.stage for node in message.parallel_strategy_item]
    else:
        stages = [node["stage"] for node in content.get("parallel_strategy_item", {}).values()]
    require(stages, "strategy-file-name-stage", who, path=path)
    return stages[0]


def _count(who, slicings):
    """Return the number of ranks of all stages."""
    if not slicings:
        return 1
    stages = sorted({stage for s in slicings.values() for stage in s.stages})
    require(stages == [*range(len(stages))], "strategy-file-all-pipeline", who, stages=stages)
    return next(iter(slicings.values())).ranks * len(stages)


def _files(who, folder, suffix=None):
    """Return ({rank: file}, format) of the folders rank_N in a folder."""
    by_format = {format: _of_format(who, folder, format, suffix) for format in _FORMATS}
    require(not all(by_format.values()), "ckpt-files-safetensors-files", who, folder=folder)
    for format, files in by_format.items():
        if files:
            return files, format
    raise rejection("checkpoints-folders-rank-0-rank-1", who, folder=folder)


def _of_format(who, folder, format, suffix):
    files = {}
    for path in glob.glob(os.path.join(glob.escape(folder), "rank_[0-9]*")):
        rank = _RANK.search(path)
        if rank is None or not os.path.isdir(path):
            continue
        there = glob.glob(os.path.join(glob.escape(path), f"*{suffix or ''}.{format}"))
        if len(there) > 1 and suffix is not None:
            there = _shortest(who, there, suffix)
        if there:
            files[int(rank[1])] = max(there, key=_numbers)
    return files


def _numbers(path):
    """Return a sort key: the last two numbers of a file's name (epoch and step), then the path."""
    return [int(n) for n in re.findall(r"\d+", os.path.basename(path))][-2:], path


def _shortest(who, paths, suffix):
    least = min(len(os.path.basename(p)) for p in paths)
    shortest = [p for p in paths if len(os.path.basename(p)) == least]
    fits, got = len(shortest) == 1, sorted(shortest)
    require(fits, "leave-one-file-rank", who, file_suffix=suffix, paths=got)
    return shortest


# aliases
rank_list_for_convert = rank_list_for_transform
convert_checkpoint_by_rank = transform_checkpoint_by_rank
convert_checkpoints = transform_checkpoints


# loading --------------------------------------------------------------------------------------


def load_segmented_checkpoints(
    ckpt_file_dir, net=None, strict_load=False, filter_prefix=None, dec_key=None,
    dec_mode="AES-GCM", specify_prefix=None, choice_func=None,
):  # fmt: skip
    """Load the parameters of all `.ckpt` files in a folder into one dict; for the other arguments,
    see `load_checkpoint`.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> for name in "ab":
    ...     ms.save_checkpoint([{"name": name, "data": Tensor([1.0])}], f"{folder}/{name}.ckpt")
    >>> sorted(load_segmented_checkpoints(folder))
    ['a', 'b']
    """
    who = "load_segmented_checkpoints"
    kinds.STR(who, ckpt_file_dir=ckpt_file_dir)
    is_folder = os.path.isdir(ckpt_file_dir)
    require(is_folder, "existing-folder", who, ckpt_file_dir=ckpt_file_dir)
    parameters = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt"))):
        parameters |= load_checkpoint(
            path, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func
        )
    return parameters


def get_ckpt_path_with_strategy(cur_ckpt_path, cur_strategy_path):
    """Return the path of a checkpoint for this rank: its own, or one of a rank with the same parts
    of all parameters; None if there is none.

    The path must contain 'rank_N', for the rank.

    >>> import os, pathlib, tempfile; folder = tempfile.mkdtemp()
    >>> os.makedirs(f"{folder}/rank_0")
    >>> _ = pathlib.Path(f"{folder}/rank_0/a.ckpt").write_bytes(b"...")
    >>> path = get_ckpt_path_with_strategy(f"{folder}/rank_0/a.ckpt", f"{folder}/s.ckpt")
    >>> path.endswith("rank_0/a.ckpt")
    True
    """
    who, rank = "get_ckpt_path_with_strategy", distributed.get_rank()
    if f"rank_{rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    alike = None
    for name, slicing in slices.slicings(who, cur_strategy_path).items():
        if not name.startswith(_UNSAVED):
            start = rank // slicing.ranks * slicing.ranks
            ranks = {start + r for r in slicing.alike(rank - start)}
            alike = ranks if alike is None else alike & ranks
    for other in sorted(alike or ()):
        path = re.sub(r"rank_\d+", f"rank_{other}", cur_ckpt_path)
        if os.path.isfile(path):
            return path
    return None


def load_distributed_checkpoint(
    network, checkpoint_filenames=None, predict_strategy=None, train_strategy_filename=None,
    strict_load=False, dec_key=None, dec_mode="AES-GCM", format="ckpt",
    unified_safetensors_dir=None, dst_safetensors_dir=None, rank_id=None,
    output_format="safetensors", name_map=None, max_process_num=64, return_param_dict=False,
):  # fmt: skip
    """Load the checkpoints of many ranks into a network.

    `checkpoint_filenames`: in rank order, under the strategy `train_strategy_filename` (by default
    the setting `strategy_ckpt_load_file`). `predict_strategy`: {name: [dev_matrix, tensor_map,
    ...]} of the network; None: whole parameters.

    With `format='safetensors'`, the checkpoints are in `unified_safetensors_dir`, as written by
    `unified_safetensors`, and `predict_strategy` is a strategy file. They are loaded into the
    network, returning the result of `load_param_into_net` (or the dict, with `return_param_dict`);
    if `network` is None, they are written to `dst_safetensors_dir/rank_N/net.*` in `output_format`,
    for `rank_id` or for all ranks. `name_map`: {name in the network: name in the files}.
    `max_process_num`: accepted.

    >>> import tempfile; folder = tempfile.mkdtemp()
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(f"{folder}/s.ckpt", {"weight": strategy_file.layout([2], [0, -1])})
    >>> files = [f"{folder}/{rank}.ckpt" for rank in range(2)]
    >>> for file in files:
    ...     ms.save_checkpoint([{"name": "weight", "data": ops.ones((1, 3))}], file)
    >>> net = nn.Dense(3, 2)
    >>> load_distributed_checkpoint(net, files, train_strategy_filename=f"{folder}/s.ckpt")
    True
    >>> net.weight.sum().item()
    6.0
    """
    who = "load_distributed_checkpoint"
    kinds.one_of(*_FORMATS)(who, format=format, output_format=output_format)
    if format == "safetensors":
        given = checkpoint_filenames, train_strategy_filename, dec_key, strict_load or None
        fits = unified_safetensors_dir is not None and all(x is None for x in given)
        require(fits, "unified-safetensors-only", who)
        return _load_unified(
            who, network, unified_safetensors_dir, predict_strategy, dst_safetensors_dir, rank_id,
            output_format, name_map or {}, return_param_dict,
        )  # fmt: skip
    kinds.instance(Cell, "a-cell")(who, network=network)
    if train_strategy_filename is None:
        setting = distributed.get_auto_parallel_context("strategy_ckpt_load_file")
        train_strategy_filename = setting or None
    train = slices.slicings(who, train_strategy_filename)
    files = _checked_files(who, checkpoint_filenames or [None], train)
    if train:
        loaded = {r: load_checkpoint(path, dec_key=dec_key, dec_mode=dec_mode)
                  for r, path in enumerate(files)}  # fmt: skip
        target = _predicted(who, predict_strategy)
        parameters = _for_network(network, loaded, train, target)
        load_param_into_net(network, parameters, strict_load=strict_load)
    return True


def _checked_files(who, paths, train):
    for k, path in enumerate(paths):
        fits = isinstance(path, str) and path.endswith(".ckpt") and os.path.isfile(path)
        name = f"checkpoint_filenames[{k}]"
        require(fits, "existing-ckpt-file", who, argument=name, got=path)
    count = next(iter(train.values())).ranks if train else len(paths)
    got = len(paths)
    require(got == count, "file-ranks-trained-checkpoint-filenames", who, count=count, got=got)
    return paths


def _for_network(network, loaded, train, target):
    """Return {name: Parameter} of a network's parameters, from the parts of all ranks."""
    arrays, rank = {}, distributed.get_rank() if target else 0
    for name in {p.name for p in network.get_parameters()} & train.keys():
        pieces = {r: c[name].asnumpy() for r, c in loaded.items() if name in c}
        if pieces:
            after = target[name] if target else slices.WHOLE
            arrays[name] = slices.assembled(name, pieces, train[name], after, rank)
    return _parameters(arrays)


def _predicted(who, strategy):
    if strategy is None or isinstance(strategy, str):
        return slices.slicings(who, strategy)
    fits = isinstance(strategy, dict) and all(
        isinstance(name, str) and isinstance(entry, (list, tuple)) and len(entry) >= 4
        for name, entry in strategy.items()
    )
    require(fits, "dict-lists-dev-matrix-tensor-map", who, predict_strategy=strategy)
    return slices.slicings(who, strategy)


def _parameters(arrays):
    return {name: Parameter(_tensor(a), name=name) for name, a in arrays.items()}


def _load_unified(
    who, network, folder, strategy, target_folder, rank_id, format, name_map, as_dict
):
    target = slices.slicings(who, strategy)
    is_given = network is not None or target_folder is not None
    require(is_given, "given-network-none", who, argument="dst_safetensors_dir")
    content = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.safetensors"))):
        content |= load_checkpoint(path, format="safetensors")
    require(content, "safetensors-files-none", who, unified_safetensors_dir=folder)
    named = {**dict.fromkeys(content), **dict.fromkeys(name_map)}
    content = {n: content[name_map.get(n, n)] for n in named if name_map.get(n, n) in content}
    every = range(_count(who, target)) if rank_id is None else [rank_id]
    if network is not None:
        every = [distributed.get_rank()]
    for rank in every:
        _, after = _of_rank(who, rank, None, strategy)
        arrays = _of_files(who, {0: content}, None, after, rank)
        if network is not None:
            parameters = _parameters(arrays)
            return parameters if as_dict else load_param_into_net(network, parameters)
        assert isinstance(target_folder, str)
        _save(arrays, os.path.join(target_folder, f"rank_{rank}", f"net.{format}"), format)
    return True
