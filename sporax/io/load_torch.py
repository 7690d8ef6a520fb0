"""`load_torch`: read a PyTorch checkpoint and load its weights into a Cell."""

import logging
import math
import os
from collections.abc import Callable
from typing import Any

from sporax._src.core import cell_tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.io import file_formats, torch_file, untrusted_file
from sporax.io.corrupt_file import CorruptFile
from sporax.io.load_param import load_param_into_net
from sporax.nn.cell import Cell

_log = logging.getLogger("sporax")

# MindSpore's name of a parameter -> its name in PyTorch's layers
NAMES_IN_TORCH = {
    "gamma": "weight", "beta": "bias", "embedding_table": "weight", "moving_mean": "running_mean",
    "moving_variance": "running_var",
}  # fmt: skip
_COUNT = "num_batches_tracked"  # a buffer that only PyTorch's norms have
_SHOWN = 8


def load_torch(
    file: str | os.PathLike[str], net: Cell | None = None,
    name_map: dict[str, str | None] | Callable[[str], str | None] | None = None,
    key: str | None = None, strict_load: bool = False,
) -> Any:  # fmt: skip
    """Read a PyTorch checkpoint (`.pth`, `.pt`, `.bin`, or `.safetensors`).

    Returns dicts, lists, tuples, numbers and strings as they are, tensors under a string key as
    Parameters of that name, other tensors as Tensors. No code of the file is run.

    `net`: a Cell into which the weights are loaded, all or none. Parameters match by name, or by
    the name in PyTorch's layers (gamma is `weight`, moving_mean `running_mean`, embedding_table
    `weight`, ...); dimensions of size 1 are ignored, as for `Conv1d`. `name_map`: new names by the
    file's names, or a function of the name; None skips a weight. `key`: the entry that holds the
    weights if the file has several, such as "state_dict"; by default the only entry that holds
    tensors by name. `strict_load`: reject parameters without a weight, weights without a
    parameter, and other dtypes. (PyTorch's LayerNorm has `epsilon` 1e-5, MindSpore's 1e-7.)

    Raises FileNotFoundError; ValueError if the file is damaged or holds more than weights;
    RuntimeError if the weights do not match. `net` is unchanged after an error.

    >>> import tempfile; path = tempfile.mkdtemp() + "/norm.safetensors"
    >>> weights = [Parameter([2.0], name="weight"), Parameter([0.5], name="bias")]
    >>> ms.save_checkpoint(weights, path, format="safetensors")
    >>> norm = nn.LayerNorm((1,))
    >>> sorted(ms.io.load_torch(path, norm)), norm.gamma.asnumpy(), norm.beta.asnumpy()
    (['bias', 'weight'], array([2.], dtype=float32), array([0.5], dtype=float32))
    """
    path = os.fspath(file)
    require(os.path.exists(path), "file-does-not-exist", "load_torch", path=path)
    if path.endswith(".safetensors"):
        entries = file_formats.contents("load_torch", path, "safetensors")
        contents = {name: Tensor(x) for name, x in entries}
    else:
        try:
            contents = torch_file.read(path)
        except OSError as error:
            cause = untrusted_file.cause(error)
            raise rejection("unreadable-file", "load_torch", path=path, cause=cause) from None
        except CorruptFile as error:
            fields = {"argument": path, "cause": error, "remedy": error.remedy}
            raise rejection("no-whole-pytorch-checkpoint", "load_torch", **fields) from None
    contents = _with_parameters(contents, path)
    if net is not None:
        weights = _renamed(weights_of(contents, key, path), name_map, path)
        _put(net, weights, strict_load, path)
    return contents


def _with_parameters(x, path):
    if isinstance(x, dict):
        return {k: _named(k, _with_parameters(v, path), path) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)([_with_parameters(v, path) for v in x])
    return x


def _named(name, x, path):
    if not isinstance(name, str) or not isinstance(x, Tensor):
        return x
    try:
        parameter = Parameter(x, name=name)
    except ValueError as error:
        raise rejection("weight-none", "load_torch", argument=path, cause=error) from None
    parameter.checkpoint = path
    return parameter


def _has_weights(x):
    return isinstance(x, dict) and any(isinstance(v, Parameter) for v in x.values())


def weights_of(contents, key, path):
    """Return {name: Parameter} of the whole file or of one entry."""
    if key is not None:
        if not isinstance(contents, dict) or not _has_weights(contents.get(key)):
            shown = _shown(contents if isinstance(contents, dict) else ())
            raise rejection("key-of-weights", "load_torch", key=key, path=path, shown=shown)
        chosen = contents[key]
    elif _has_weights(contents):
        chosen = contents
    else:
        items = contents.items() if isinstance(contents, dict) else ()
        keys = [k for k, v in items if _has_weights(v)]
        if len(keys) != 1:
            fields = {"argument": path, "count": len(keys), "shown": _shown(keys)}
            raise rejection("hold-one-dict-weights", "load_torch", **fields)
        chosen = contents[keys[0]]
    return {name: x for name, x in chosen.items() if isinstance(x, Parameter)}


def _renamed(weights, name_map, path):
    new_name = name_map if callable(name_map) else lambda name: (name_map or {}).get(name, name)
    renamed, old_names = {}, {}
    for old, x in weights.items():
        new = new_name(old)
        if new is None:
            continue
        if not isinstance(new, str) or new in renamed:
            other = message("as-another-does", name=old_names[new]) if new in renamed else ""
            fields = {"path": path, "old": old, "new": new, "other": other}
            raise rejection("name-of-its-own", "load_torch", **fields)
        renamed[new], old_names[new] = x, old
    return renamed


def _put(net, weights, strict_load, path):
    pairs, used, missing = {}, set(), []
    for p in [p for _, p in cell_tree.parameters(net)]:
        before, dot, last = p.name.rpartition(".")
        names = p.name, f"{before}{dot}{NAMES_IN_TORCH.get(last, last)}"
        name = next((n for n in names if n in weights), None)
        if name is None:
            missing.append(p.name)
            continue
        used.add(name)
        pairs[p.name] = _as_parameter(p, weights[name])
    unused = [name for name in weights if name not in used and not name.endswith(_COUNT)]
    if not pairs or (strict_load and (missing or unused)):
        fields = {"path": path, "shown": _shown(missing), "shown2": _shown(unused)}
        raise rejection("weights-those-net-parameters", "load_torch", **fields)
    load_param_into_net(net, pairs, strict_load)
    if unused:
        _log.warning(
            "For 'load_torch', %d weights have no parameter in 'net': %s", len(unused), unused
        )


def _as_parameter(p, new):
    """Return the weight, reshaped if the shapes differ only in sizes of 1."""

    def longer(shape):
        return [n for n in shape if n != 1]

    if new.shape != p.shape and longer(new.shape) == longer(p.shape) and math.prod(p.shape):
        new = _named(new.name, new.reshape(p.shape), new.checkpoint)
    return new


def _shown(names):
    names = list(map(str, names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN]) or 'none'}{more}"
