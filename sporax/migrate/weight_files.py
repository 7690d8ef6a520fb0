"""`convert`: conversion of weight files between formats, with the names of either library."""

import dataclasses
import os
from collections.abc import Callable

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.core.to_host import on_host
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import rejection, require
from sporax.io import atomic_write, file_formats, npz_file, untrusted_file
from sporax.io.load_torch import NAMES_IN_TORCH, load_torch, weights_of
from sporax.migrate.name_mapping import COUNTER
from sporax.migrate.torch_run import torch_package

_WHO = "convert"
_EMBEDDING_WORDS = "emb", "table", "wte", "wpe"  # in names of embedding tables
_STATISTICS = {"running_mean": "moving_mean", "running_var": "moving_variance"}
_NORM = {"weight": "gamma", "bias": "beta"} | _STATISTICS


@dataclasses.dataclass(frozen=True)
class Converted:
    """One tensor: its old name, its new name (None if left out), its new shape and dtype."""

    old: str
    new: str | None
    shape: tuple
    dtype: str

    def __str__(self):
        new = "left out" if self.new is None else self.new
        return f"{self.old} -> {new}  {self.shape}  {self.dtype}"


def convert(
    source: str | os.PathLike[str], target: str | os.PathLike[str], to: str | None = None,
    names: dict[str, str | None] | None = None, force: bool = False, key: str | None = None,
) -> list[Converted]:  # fmt: skip
    """Write the weights of one file to another one, whose extension selects the format: `.ckpt`,
    `.safetensors`, `.npz`, `.pth` or `.pt`. Returns [Converted], one for each tensor.

    `to`: "mindspore" or "pytorch", whose names the parameters get (gamma or weight, moving_mean or
    running_mean, embedding_table or weight; a Conv1d's weight gets MindSpore's fourth axis); by
    default they stay. A matrix without a bias is an embedding table if its owner's name contains
    `emb`, `table`, `wte` or `wpe`. `names`: {old name: new name, or None to leave one out}, takes
    precedence. `force`: replace an existing file. `key`: the entry of a `.pth` file that holds the
    weights. No code of a file is run; writing `.pth` needs PyTorch (`sporax[torch]`).

    Raises ValueError for unreadable files and invalid names, FileNotFoundError and FileExistsError,
    TypeError for data that the target format does not support, ImportError without PyTorch.

    >>> import tempfile; folder = tempfile.mkdtemp(); from sporax import migrate
    >>> np.savez(f"{folder}/a.npz", **{"bn.gamma": np.ones(2), "bn.beta": np.ones(2)})
    >>> for line in migrate.convert(f"{folder}/a.npz", f"{folder}/b.ckpt", "pytorch"): print(line)
    bn.gamma -> bn.weight  (2,)  float64
    bn.beta -> bn.bias  (2,)  float64
    """
    source, target = os.fspath(source), os.fspath(target)
    reading, writing = _format(source), _format(target)
    kinds.optional(kinds.one_of("mindspore", "pytorch"))("convert", to=to)
    require(os.path.exists(source), "file-does-not-exist", "convert", path=source)
    require(not os.path.exists(target) or force, "not-file-exists", "convert", argument=target)
    arrays = reading.read(source, key)
    chosen = _renamed(arrays, names or {}, to)
    entries, lines = {}, []
    for old, new in chosen.items():
        x = arrays[old]
        if new is not None:
            x = _shaped(new, x) if to == "mindspore" else x
            is_new = new not in entries
            require(is_new, "names-stay-different", "convert", new=new, source=source)
            entries[new] = x
        lines.append(Converted(old, new, tuple(x.shape), str(x.dtype)))
    require(entries, "hold-tensors-none-would", "convert", argument=source)
    with atomic_write.errors_named(_WHO, target):
        writing.write(target, entries)
    return lines


# names ----------------------------------------------------------------------------------------


def _renamed(arrays, names, to):
    """Return {old name: new name or None}."""
    unknown = sorted(names.keys() - arrays.keys())
    if unknown:
        raise rejection("names-of-tensors", "convert", name=unknown[0])
    by_owner = {}
    for name, x in arrays.items():
        owner, _, last = name.rpartition(".")
        by_owner.setdefault(owner, {})[last] = x
    renamed = {}
    for name in arrays:
        owner, dot, last = name.rpartition(".")
        new = last if to is None else _NAMES[to](owner, last, by_owner[owner])
        renamed[name] = names.get(name, None if new is None else f"{owner}{dot}{new}")
    return renamed


def _in_pytorch(owner, last, siblings):
    new = NAMES_IN_TORCH.get(last, last)
    return last if new != last and new in siblings else new


def _in_mindspore(owner, last, siblings):
    """Return the name of a parameter in MindSpore's layers, given its owner's other parameters."""
    weight, bias = siblings.get("weight"), siblings.get("bias")
    if last == COUNTER:
        return None
    if not _STATISTICS.keys().isdisjoint(siblings):
        return _NORM.get(last, last)
    if weight is not None and bias is not None and weight.ndim == bias.ndim == 1:
        return _NORM.get(last, last)
    is_table = any(word in owner.lower() for word in _EMBEDDING_WORDS) and bias is None
    if last == "weight" and siblings[last].ndim == 2 and is_table:
        return "embedding_table"
    return last


_NAMES = {"mindspore": _in_mindspore, "pytorch": _in_pytorch}


def _shaped(name, x):
    """Convert a Conv1d's weight (O, I, K) to MindSpore's shape (O, I, 1, K)."""
    return x[:, :, None] if x.ndim == 3 and name.rpartition(".")[2] == "weight" else x


# formats --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Format:
    read: Callable  # (path, key) -> {name: array}
    write: Callable  # (path, {name: array})


def _format(path):
    ending = os.path.splitext(path)[1].lower()
    if ending not in _FORMATS:
        raise rejection("files-end-one", "convert", names=list(_FORMATS), got=path)
    return _FORMATS[ending]


def _read_torch(path, key):
    weights = weights_of(load_torch(path), key, path)
    return {name: _array(x) for name, x in weights.items()}


def _array(x):
    return on_host(x._value.read())


def _write_torch(path, entries):
    torch = torch_package(_WHO)
    with atomic_write.replacing(path) as temp_path:
        torch.save({name: _tensor(torch, x) for name, x in entries.items()}, temp_path)


def _tensor(torch, x):
    name = str(x.dtype)
    x = np.array(x, order="C")
    if name.startswith(("bfloat", "float8")):  # PyTorch cannot convert these from NumPy
        return torch.from_numpy(x.view(f"u{x.itemsize}")).view(getattr(torch, name))
    return torch.from_numpy(x)


def _read_entries(format):
    def read(path, key):
        contents = dict(file_formats.contents(_WHO, path, format))
        return {name: x for name, x in contents.items() if not isinstance(x, str)}

    return read


def _write_entries(format):
    def write(path, entries):
        module = file_formats.FORMATS[format]
        stored = {name: module.stored(name, x) for name, x in entries.items()}
        module.write(path, stored, False, None)

    return write


def _read_npz(path, key):
    try:
        with npz_file.opened(path) as arrays:
            entries = {name: arrays[name] for name in arrays.files}
    except npz_file.MALFORMED as error:
        cause = untrusted_file.cause(error)
        raise rejection("no-whole-npz-file", "convert", argument=path, cause=cause) from None
    for name, x in entries.items():
        try:
            Tensor(x)
        except (TypeError, ValueError) as error:
            raise rejection("no-tensor", "convert", argument=name, path=path, cause=error) from None
    return entries


def _write_npz(path, entries):
    for name, x in entries.items():
        require(x.dtype.kind != "V", "npz-files-no", "convert", dtype=x.dtype, name=name)
    with atomic_write.replacing(path) as temp_path, open(temp_path, "wb") as file:
        np.savez(file, **entries)


_FORMATS = {
    ".ckpt": _Format(_read_entries("ckpt"), _write_entries("ckpt")),
    ".safetensors": _Format(_read_entries("safetensors"), _write_entries("safetensors")),
    ".npz": _Format(_read_npz, _write_npz),
    ".pth": _Format(_read_torch, _write_torch),
    ".pt": _Format(_read_torch, _write_torch),
}
