"""`save_checkpoint` and `load_checkpoint`: tensors by name in MindSpore's own file format."""

import collections
import math
import mmap
import os
import threading
import zlib

import numpy as np

from sporax.core import dtype as dtypes
from sporax.core.parameter import Parameter
from sporax.core.tensor import Tensor
from sporax.io import atomic, wire
from sporax.io.loading import load_param_into_net

_STRING = "str"  # the type under which a Python string is stored, as UTF-32
_SUM_MARK, _SUM_BYTES = b"crc_num", 10
_FORMATS = ("ckpt", "safetensors")
_EXTRA = (bool, int, float, str, Tensor)

_writer = None  # the thread of the last asynchronous save


def save_checkpoint(
    save_obj, ckpt_file_name, integrated_save=True, async_save=False, append_dict=None,
    enc_key=None, enc_mode="AES-GCM", choice_func=None, crc_check=False, format="ckpt", **kwargs,
):  # fmt: skip
    """Write parameters to a file in MindSpore's `.ckpt` format, whole or not at all.

    `save_obj`: a Cell, a list of Parameters or of `{'name': ..., 'data': Tensor}`, or a dict of
    Tensors, NumPy arrays and strings. `async_save`: write in a thread while the program goes on
    (True, 'thread' or 'process'). `append_dict`: numbers, strings and Tensors to keep beside them.
    `choice_func(name)`: whether to keep a parameter. `crc_check`: end the file with a checksum.
    A file that exists is replaced in one step once the new one is on the disk.

    >>> import tempfile; path = tempfile.mkdtemp() + "/a.ckpt"
    >>> save_checkpoint([Parameter(1.0, name="a")], path, append_dict={"epoch": 3})
    >>> list(load_checkpoint(path))
    ['a', 'epoch']
    """
    _refuse("save_checkpoint", format, enc_key, "enc_key", kwargs)
    _flag("save_checkpoint", integrated_save=integrated_save, crc_check=crc_check)
    if async_save not in (True, False, "thread", "process"):
        raise ValueError(
            "For 'save_checkpoint', 'async_save' must be True, False, 'thread' or 'process', but "
            f"got {async_save!r}."
        )
    path = _target(ckpt_file_name, format)
    entries = {name: x for name, x in _named(save_obj) if choice_func is None or choice_func(name)}
    entries.update(_appended(append_dict))
    stored = {name: _stored(name, x, copy=bool(async_save)) for name, x in entries.items()}
    _wait()
    if async_save:
        global _writer
        _writer = threading.Thread(target=_write, args=(path, stored, crc_check))
        _writer.start()
    else:
        _write(path, stored, crc_check)


def async_ckpt_thread_status():
    """Whether an asynchronous save is still writing."""
    return _writer is not None and _writer.is_alive()


def _wait():
    if _writer is not None:
        _writer.join()


def _refuse(who, format, key, key_name, others):
    if format not in _FORMATS:
        raise ValueError(f"For '{who}', 'format' must be one of {_FORMATS}, but got {format!r}.")
    if format != "ckpt":
        raise NotImplementedError(
            f"For '{who}', format='{format}' is not done yet. Use format='ckpt'."
        )
    if key is not None:
        raise NotImplementedError(
            f"For '{who}', encryption is not done: '{key_name}' must be None. Encrypt the file "
            "with a tool made for that."
        )
    for name, value in others.items():
        if value:
            raise NotImplementedError(f"For '{who}', '{name}' is not done yet, but got {value!r}.")


def _flag(who, **flags):
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError(
                f"For '{who}', '{name}' must be a bool, but got {type(value).__name__}."
            )


def _target(name, format):
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(
            "For 'save_checkpoint', 'ckpt_file_name' must be a string, but got "
            f"{type(name).__name__}."
        )
    path = os.path.realpath(name)
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"For 'save_checkpoint', 'ckpt_file_name' must name a file, but '{path}' is a folder."
        )
    if not os.path.isdir(os.path.dirname(path)):
        raise FileNotFoundError(
            f"For 'save_checkpoint', the folder of '{path}' does not exist. Make it first, e.g. "
            "with 'os.makedirs'."
        )
    return path if path.endswith(format) else f"{path}.{format}"


# what to save --------------------------------------------------------------------------------


def _named(save_obj):
    """(name, tensor or string) for what is to be saved."""
    if hasattr(save_obj, "parameters_and_names"):
        return _unique([(p.name, p) for _, p in save_obj.parameters_and_names()])
    if isinstance(save_obj, dict):
        return [_dict_item(name, x) for name, x in save_obj.items()]
    if isinstance(save_obj, list):
        return [_list_item(x) for x in save_obj]
    raise TypeError(
        "For 'save_checkpoint', 'save_obj' must be a Cell, a list or a dict, but got "
        f"{type(save_obj).__name__}."
    )


def _unique(items):
    counts = collections.Counter(name for name, _ in items)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise ValueError(
            f"For 'save_checkpoint', parameters must have different names, but {twice} name "
            "several, of which a file could keep only one. Give them names of their own."
        )
    return items


def _dict_item(name, x):
    if isinstance(x, np.ndarray):
        x = Tensor(x)
    if not isinstance(name, str) or not isinstance(x, (Tensor, str)):
        raise TypeError(
            "For 'save_checkpoint', a dict to save must hold Tensors, NumPy arrays or strings by "
            f"name, but got {type(x).__name__} by {name!r}."
        )
    return name, x


def _list_item(x):
    if isinstance(x, Parameter):
        return x.name, x
    if not isinstance(x, dict) or not {"name", "data"} <= x.keys():
        raise TypeError(
            "For 'save_checkpoint', a list to save must hold Parameters, or dicts with 'name' and "
            f"'data', but got {type(x).__name__}: {x!r:.80}."
        )
    if not isinstance(x["name"], str) or not isinstance(x["data"], Tensor):
        raise TypeError(
            "For 'save_checkpoint', 'name' must be a string and 'data' a Tensor, but got "
            f"{type(x['data']).__name__} under {x['name']!r}."
        )
    return x["name"], x["data"]


def _appended(append_dict):
    if append_dict is None:
        return {}
    if not isinstance(append_dict, dict):
        raise TypeError(
            "For 'save_checkpoint', 'append_dict' must be a dict, but got "
            f"{type(append_dict).__name__}."
        )
    for name, x in append_dict.items():
        if not isinstance(name, str) or not isinstance(x, _EXTRA):
            raise TypeError(
                "For 'save_checkpoint', 'append_dict' must hold numbers, strings or Tensors by "
                f"name, but got {type(x).__name__} by {name!r}."
            )
    return {
        name: x if isinstance(x, (str, Tensor)) else Tensor(x) for name, x in append_dict.items()
    }


def _stored(name, x, copy):
    """(dims, type, content) as the file keeps them."""
    if isinstance(x, str):
        return (0,), _STRING, memoryview((x or "\0").encode("utf-32-le"))
    array = x.asnumpy() if copy else np.asarray(x._value.read())
    kind = dtypes.from_numpy(array.dtype).name
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return array.shape or (0,), kind, memoryview(content)


def _write(path, stored, crc_check):
    def chunks():
        total = 0
        for name, (dims, kind, content) in stored.items():
            for chunk in wire.write(name, dims, kind, content):
                if crc_check:
                    total = zlib.crc32(chunk, total)
                yield chunk
        if crc_check:
            yield _SUM_MARK + total.to_bytes(_SUM_BYTES, "big")

    atomic.write(path, chunks())


# loading -------------------------------------------------------------------------------------


def load_checkpoint(
    ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None,
    dec_mode="AES-GCM", specify_prefix=None, choice_func=None, crc_check=False,
    remove_redundancy=False, format="ckpt",
):  # fmt: skip
    """Read a `.ckpt` file: a dict of Parameters (strings for strings) by name.

    `net`, `strict_load`: put them into that Cell too, as `load_param_into_net` does.
    `choice_func(name)`: whether to take a parameter; `filter_prefix`, `specify_prefix` (a string or
    several): leave out, or take only, names that begin so, instead of `choice_func`. `crc_check`:
    verify the checksum at the file's end. A damaged or foreign file raises ValueError, a checkpoint
    that does not fit `net` RuntimeError; `net` is then as it was.

    >>> import tempfile; path = tempfile.mkdtemp() + "/a.ckpt"
    >>> save_checkpoint([Parameter(1.0, name="a")], path)
    >>> load_checkpoint(path)
    {'a': Parameter (name=a, shape=(), dtype=Float32, requires_grad=True)}
    """
    _refuse("load_checkpoint", format, dec_key, "dec_key", {"remove_redundancy": remove_redundancy})
    _flag("load_checkpoint", crc_check=crc_check)
    chosen = _choice(_prefixes("specify_prefix", specify_prefix),
                     _prefixes("filter_prefix", filter_prefix), choice_func)  # fmt: skip
    _wait()
    path = _existing(ckpt_file_name, format)
    try:
        entries = wire.read(_content(path, crc_check), _needed)
        found = {entry.tag: _restored(entry, path) for entry in entries if chosen(entry.tag)}
    except wire.Damage as damage:
        raise ValueError(
            f"For 'load_checkpoint', '{path}' is no whole MindSpore checkpoint: {damage}. Nothing "
            "was loaded; take an intact copy."
        ) from None
    if not found:
        raise ValueError(
            f"For 'load_checkpoint', nothing in '{path}' is chosen: it holds {len(entries)} "
            "values. Check 'choice_func', 'filter_prefix' and 'specify_prefix'."
        )
    if net is not None:
        load_param_into_net(net, found, strict_load)
    return found


def _existing(name, format):
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(
            "For 'load_checkpoint', 'ckpt_file_name' must be a string, but got "
            f"{type(name).__name__}."
        )
    path = os.path.realpath(name)
    if not path.endswith(format):
        raise ValueError(
            f"For 'load_checkpoint', 'ckpt_file_name' must end in '.{format}', but got '{name}'."
        )
    if not os.path.exists(path):
        raise ValueError(f"For 'load_checkpoint', the file '{path}' does not exist.")
    return path


def _content(path, crc_check):
    """The file's bytes, mapped into memory, without the checksum at their end."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size == 0:
            raise wire.Damage("the file is empty")
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    body = data[: -len(_SUM_MARK) - _SUM_BYTES]
    if bytes(data[len(body) : len(body) + len(_SUM_MARK)]) != _SUM_MARK:
        if crc_check:
            raise wire.Damage("it has no checksum. Load it with crc_check=False")
        return data
    if crc_check and zlib.crc32(body) != int.from_bytes(data[-_SUM_BYTES:], "big"):
        raise wire.Damage("its checksum does not fit its contents")
    return body


def _prefixes(name, given):
    if given is None:
        return None
    prefixes = (given,) if isinstance(given, str) else given
    if not isinstance(prefixes, (list, tuple)) or not all(isinstance(p, str) for p in prefixes):
        raise TypeError(
            f"For 'load_checkpoint', '{name}' must be a string or several, but got {given!r}."
        )
    if not prefixes or "" in prefixes:
        raise ValueError(f"For 'load_checkpoint', '{name}' must not be empty, but got {given!r}.")
    return tuple(prefixes)


def _choice(wanted, unwanted, choice_func):
    if wanted is None and unwanted is None:
        return choice_func or (lambda tag: True)
    return lambda tag: (
        (wanted is None or tag.startswith(wanted))
        and not (unwanted is not None and tag.startswith(unwanted))
    )


def _dtype(kind):
    found = dtypes.NAMES.get(kind.lower())
    if found is None or found.name != kind or found.numpy_dtype is None:
        raise wire.Damage(f"it has the type '{kind}', which sporax does not know")
    return found.numpy_dtype


def _needed(dims, kind):
    if kind == _STRING:
        return None
    if any(d < 0 for d in dims):
        raise wire.Damage(f"it has the shape {dims}")
    shape = () if dims == (0,) else dims  # a 0-dimensional tensor is stored with dims [0]
    return math.prod(shape) * _dtype(kind).itemsize


def _restored(entry, path):
    if entry.kind == _STRING:
        return b"".join(entry.pieces).decode("utf-32-le").rstrip("\0")
    try:
        needed, dtype = _needed(entry.dims, entry.kind), _dtype(entry.kind)
        shape = entry.dims
        if shape == (0,) and entry.nbytes:
            shape = ()
        elif shape == (0,):
            needed = 0
        if entry.nbytes != needed:
            raise wire.Damage(
                f"{entry.kind} {shape} takes {needed} bytes, but it has {entry.nbytes}"
            )
    except wire.Damage as damage:
        raise wire.Damage(f"at '{entry.tag}': {damage}")
    content = entry.pieces[0] if len(entry.pieces) == 1 else b"".join(entry.pieces)
    parameter = Parameter(np.frombuffer(content, dtype).reshape(shape), name=entry.tag)
    parameter.checkpoint = path
    return parameter
