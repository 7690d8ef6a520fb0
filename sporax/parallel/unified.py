"""`unified_safetensors`: merges the checkpoints of all ranks into files of whole parameters."""

import json
import math
import os

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import require
from sporax.io import atomic_write
from sporax.io.file_formats import deduplicated
from sporax.parallel import slices
from sporax.parallel.checkpoints import _count, _files, _Loaded, _of_files, _save

_LARGEST = 3 * 1024**3  # approximate bytes of parameters in one file


def unified_safetensors(
    src_dir, src_strategy_file, dst_dir, merge_with_redundancy=True, file_suffix=None,
    max_process_num=64, choice_func=None, split_dst_file=(),
):  # fmt: skip
    """Merge the `.safetensors` files of all ranks into files of whole parameters.

    Reads `src_dir/rank_N/*{file_suffix}.safetensors` under `src_strategy_file`; writes
    `dst_dir/part0.safetensors` and further parts of about 3 GB, `param_name_map.json` with the part
    of each parameter, and `hyper_param.safetensors` with values that the strategy does not name.
    `choice_func(name)`: returns False to omit a parameter, or its new name.
    `split_dst_file=(k, n)`: write only the k-th of n shares of the parts. `merge_with_redundancy`:
    False if each part is in the file of one rank only; files marked as such are recognized.
    `max_process_num`: accepted.

    >>> import os, tempfile; folder = tempfile.mkdtemp()
    >>> from sporax.parallel import strategy_file
    >>> strategy_file.write(f"{folder}/s.ckpt", {"w": strategy_file.layout([2], [0])})
    >>> for rank in range(2):
    ...     os.makedirs(f"{folder}/src/rank_{rank}")
    ...     weights = [{"name": "w", "data": Tensor([float(rank)])}]
    ...     path = f"{folder}/src/rank_{rank}/a.safetensors"
    ...     ms.save_checkpoint(weights, path, format="safetensors")
    >>> unified_safetensors(f"{folder}/src", f"{folder}/s.ckpt", f"{folder}/dst")
    >>> whole = ms.load_checkpoint(f"{folder}/dst/part0.safetensors", format="safetensors")
    >>> whole["w"].asnumpy()
    array([0., 1.], dtype=float32)
    """
    who = "unified_safetensors"
    kinds.BOOL(who, merge_with_redundancy=merge_with_redundancy)
    require(os.path.isdir(src_dir), "existing-folder", who, src_dir=src_dir)
    files, format = _files(who, src_dir, file_suffix)
    require(format == "safetensors", "safetensors-files-ckpt", who, argument="src_dir")
    source = slices.slicings(who, src_strategy_file)
    require(source, "say-how-parameters-divided", who, src_strategy_file=src_strategy_file)
    _check_ranks(who, files, source, merge_with_redundancy)
    loaded = _Loaded(files, format)
    for rank in files:
        loaded[rank]
    os.makedirs(dst_dir, exist_ok=True)
    there = {name for content in loaded.values() for name in content}
    names = {n: _chosen(who, choice_func, n) for n in sorted(there & source.keys())
             if not n.startswith("accu_grads")}  # fmt: skip
    names = {n: new for n, new in names.items() if new is not None}
    groups, total = _groups(names, loaded, source)
    first, last = _share(who, split_dst_file, len(groups))
    if first == 0:
        _write_notes(dst_dir, groups, names, total, loaded.get(0, {}))
    for k in range(first, last):
        own = {r: {n: c[n] for n in groups[k] if n in c} for r, c in loaded.items()}
        arrays = _of_files(who, own, source, None, 0)
        arrays = {names[n]: a for n, a in arrays.items()}
        _save(arrays, os.path.join(dst_dir, f"part{k}.safetensors"), "safetensors")


def _check_ranks(who, files, source, with_redundancy):
    said = {deduplicated(who, path, "safetensors") for path in files.values()}
    if not with_redundancy or True in said:
        return
    for rank in range(_count(who, source)):
        require(rank in files, "file-rank-rank-missing", who, rank=rank)


def _chosen(who, choose, name):
    """Return the name under which a parameter is stored; None if it is omitted."""
    choice = True if choose is None else choose(name)
    require(isinstance(choice, (bool, str)), "return-bool-string", who, choice_func=choice)
    return choice if isinstance(choice, str) else name if choice else None


def _groups(names, loaded, source):
    """Return (the parameters of each file, the bytes of all). Parameters are assigned in descending
    order of size, each to the smallest group."""
    sizes = {}
    for name in names:
        array = next(c[name] for c in loaded.values() if name in c)
        sizes[name] = math.prod(source[name].whole(array.shape)) * array.itemsize
    count = min(max(1, math.ceil(sum(sizes.values()) / _LARGEST)), max(1, len(sizes)))
    groups, full = [[] for _ in range(count)], [0] * count
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        k = full.index(min(full))
        groups[k].append(name)
        full[k] += sizes[name]
    return groups, sum(sizes.values())


def _share(who, share, count):
    """Return (first, end) of the parts that `split_dst_file` selects."""
    if not share:
        return 0, count
    fits = isinstance(share, tuple) and len(share) == 2 and 1 <= share[0] <= share[1]
    require(fits, "k-n-1-k", who, split_dst_file=share)
    number, shares = share
    size, remainder = divmod(count, shares)
    first = size * (number - 1) + min(number - 1, remainder)
    return first, first + size + (number <= remainder)


def _write_notes(folder, groups, names, total, of_first):
    files = {names[n]: f"part{k}.safetensors" for k, group in enumerate(groups) for n in group}
    notes = {"metadata": {"total_size": total}, "weight_map": files}
    atomic_write.write(
        os.path.join(folder, "param_name_map.json"), json.dumps(notes, indent=4).encode("utf8")
    )
    others = {n: t.asnumpy() for n, t in of_first.items()
              if isinstance(t, Tensor) and n not in names}  # fmt: skip
    if others:
        _save(others, os.path.join(folder, "hyper_param.safetensors"), "safetensors")
