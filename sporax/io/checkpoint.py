"""`save_checkpoint` and `load_checkpoint`: tensors by name, in MindSpore's file formats."""

import collections
import concurrent.futures
import contextlib
import io
import os
import tempfile

import numpy as np

from sporax._src.core.cell_tree import parameters
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.core.to_host import on_host
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.io import atomic_write, background_writer, file_formats
from sporax.io.load_param import load_param_into_net

_EXTRA = (bool, int, float, str, Tensor)
_KEY = kinds.optional(kinds.instance(bytes, "some-bytes"))
_MODE, _ASYNC = (
    kinds.one_of(*values)
    for values in (("AES-GCM", "AES-CBC", "SM4-CBC"), (True, False, "thread", "process"))
)
_CHOICE = kinds.optional(kinds.FUNCTION)


def save_checkpoint(
    save_obj, ckpt_file_name, integrated_save=True, async_save=False, append_dict=None,
    enc_key=None, enc_mode="AES-GCM", choice_func=None, crc_check=False, format="ckpt", **kwargs,
):  # fmt: skip
    """Write parameters to a file, in MindSpore's `.ckpt` or in the `.safetensors` format.

    `save_obj`: a Cell, a list of Parameters or of `{'name': ..., 'data': Tensor}`, or a dict of
    Tensors, NumPy arrays and strings. `async_save`: write in a background thread (True, 'thread' or
    'process'). `append_dict`: numbers, strings, Tensors and Generators to store as well.
    `choice_func(name)`: returns True to save a parameter. `crc_check`: store a checksum. `format`:
    'ckpt', or 'safetensors', which does not support strings and Complex128.

    An existing file is replaced atomically once the new one is on disk. Files are not encrypted:
    `enc_key` must be None. `integrated_save`, and `incremental`, `global_step_num` and
    `remove_redundancy=False` in `kwargs`, have no effect on one device.

    >>> import tempfile; path = tempfile.mkdtemp() + "/a.ckpt"
    >>> save_checkpoint([Parameter(1.0, name="a")], path, append_dict={"epoch": 3})
    >>> list(load_checkpoint(path))
    ['a', 'epoch']
    """
    file = file_formats.known("save_checkpoint", format)
    _check_key("save_checkpoint", "enc", enc_key, enc_mode, format)
    kinds.BOOL("save_checkpoint", integrated_save=integrated_save, crc_check=crc_check)
    _CHOICE("save_checkpoint", choice_func=choice_func)
    flagged = _parallel(kwargs)
    _ASYNC("save_checkpoint", async_save=async_save)
    path = _target(ckpt_file_name, format)
    entries = {name: x for name, x in _named(save_obj) if choice_func is None or choice_func(name)}
    entries.update(_appended(append_dict))
    stored = {name: file.stored(name, _host(x, bool(async_save))) for name, x in entries.items()}
    if async_save:
        background_writer.start(_write, file, path, stored, crc_check, flagged)
    else:
        background_writer.wait()
        _write(file, path, stored, crc_check, flagged)


def _write(file, path, *arguments):
    with atomic_write.errors_named("save_checkpoint", path):
        file.write(path, *arguments)


def _host(x, copy):
    """Return a string as it is, a tensor as an array, copied if the program continues meanwhile."""
    if isinstance(x, str):
        return x
    return x.asnumpy() if copy else on_host(x._read().array)


# arguments -----------------------------------------------------------------------------------


def _check_key(who, prefix, key, mode, format):
    _KEY.checked(who, f"{prefix}_key", key)
    _MODE.checked(who, f"{prefix}_mode", mode)
    fits = key is None or format != "safetensors"
    require(fits, "none-safetensors-file-never", who, argument=f"{prefix}_key")
    require(key is None, "encryption-not-done--key", who, prefix=prefix)


def _parallel(kwargs):
    """Return `remove_redundancy`, the only argument of MindSpore's parallel training to store."""
    others = kwargs.keys() - {"incremental", "global_step_num", "remove_redundancy"}
    if others:
        raise rejection("save-checkpoint-unexpected-keyword-argument", min=min(others))
    flag = kwargs.get("remove_redundancy")
    require(not flag, "remove-redundancy-true-not-done", "save_checkpoint")
    return None if flag is None else False


def _target(name, format):
    kinds.PATH("save_checkpoint", ckpt_file_name=name)
    path = os.path.realpath(name)
    is_folder, has_folder = os.path.isdir(path), os.path.isdir(os.path.dirname(path))
    require(not is_folder, "name-file-folder", "save_checkpoint", ckpt_file_name=name, path=path)
    require(has_folder, "folder-does-not-exist", "save_checkpoint", path=path)
    return path if path.endswith(format) else f"{path}.{format}"


# what to save --------------------------------------------------------------------------------


def _named(save_obj):
    """Return [(name, tensor or string)] of the entries to save."""
    if hasattr(save_obj, "parameters_and_names"):
        return _unique([(p.name, p) for _, p in parameters(save_obj)])
    if isinstance(save_obj, dict):
        return [_dict_item(name, x) for name, x in save_obj.items()]
    if isinstance(save_obj, list):
        return _unique([_list_item(x) for x in save_obj])
    raise rejection("cell-list-dict", "save_checkpoint", save_obj=save_obj)


def _unique(items):
    counts = collections.Counter(name for name, _ in {(name, id(x)) for name, x in items})
    twice = sorted(name for name, count in counts.items() if count > 1)
    require(not twice, "parameters-different-names-name", "save_checkpoint", twice=twice)
    return items


def _dict_item(name, x):
    if isinstance(x, np.ndarray):
        x = Tensor(x)
    fits = isinstance(name, str) and isinstance(x, (Tensor, str))
    require(fits, "dict-save-hold-tensors", "save_checkpoint", got=x, name=name)
    return name, x


def _list_item(x):
    if isinstance(x, Parameter):
        return x.name, x
    fits = isinstance(x, dict) and {"name", "data"} <= x.keys()
    require(fits, "list-save-hold-parameters", "save_checkpoint", got=x)
    if not isinstance(x["name"], str) or not isinstance(x["data"], Tensor):
        raise rejection("string-data-tensor", "save_checkpoint", name=x["data"], x=x["name"])
    return x["name"], x["data"]


def _appended(append_dict):
    if append_dict is None:
        return {}
    kinds.DICT("save_checkpoint", append_dict=append_dict)
    return {name: _extra(name, x) for name, x in append_dict.items()}


def _extra(name, x):
    if hasattr(x, "get_state"):  # a Generator
        x = x.get_state()
    fits = isinstance(name, str) and isinstance(x, _EXTRA)
    require(fits, "hold-numbers-strings-tensors", "save_checkpoint", append_dict=x, name=name)
    return x if isinstance(x, (str, Tensor)) else Tensor(x)


# loading -------------------------------------------------------------------------------------


def load_checkpoint(
    ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None,
    dec_mode="AES-GCM", specify_prefix=None, choice_func=None, crc_check=False,
    remove_redundancy=False, format="ckpt",
):  # fmt: skip
    """Read a file of `save_checkpoint` or MindSpore into a dict of Parameters (or strings) by name.

    `net`, `strict_load`: also load them into that Cell, as `load_param_into_net` does.
    `choice_func(name)`: returns True to load a parameter; `filter_prefix`, `specify_prefix` (a
    string or several): skip, or load only, names with a prefix, instead of `choice_func`.
    `crc_check`: verify the file's checksum. `format`: 'ckpt' or 'safetensors', whose contents may
    also be an `io.BytesIO`. `dec_key` must be None: encrypted files are not supported.

    Raises ValueError for a damaged or foreign file, RuntimeError for a checkpoint that does not
    match `net`; `net` is then unchanged. `remove_redundancy`: the remaining parameters are in the
    files of other devices; not supported with `net`.

    >>> import tempfile; path = tempfile.mkdtemp() + "/a.ckpt"
    >>> save_checkpoint([Parameter(1.0, name="a")], path)
    >>> load_checkpoint(path)
    {'a': Parameter (name=a, shape=(), dtype=Float32, requires_grad=True)}
    """
    file = file_formats.known("load_checkpoint", format)
    _check_key("load_checkpoint", "dec", dec_key, dec_mode, format)
    kinds.BOOL("load_checkpoint", crc_check=crc_check, remove_redundancy=remove_redundancy)
    _CHOICE("load_checkpoint", choice_func=choice_func)
    chosen = _choice(_prefixes("specify_prefix", specify_prefix),
                     _prefixes("filter_prefix", filter_prefix), choice_func)  # fmt: skip
    background_writer.wait()
    with _located(ckpt_file_name, format) as (path, label):
        entries = file_formats.contents("load_checkpoint", path, format, chosen, crc_check, label)
        tensors = {name: _restored(name, x, label) for name, x in entries}
        if net is not None:
            flag = file.deduplicated(path)
            remove_redundancy = remove_redundancy if flag is None else flag
    require(tensors, "nothing-chosen", "load_checkpoint", label=label)
    if net is not None:
        load_param_into_net(net, tensors, strict_load, remove_redundancy)
    return tensors


def load_checkpoint_async(
    ckpt_file_name, net=None, strict_load=False, filter_prefix=None, dec_key=None,
    dec_mode="AES-GCM", specify_prefix=None, choice_func=None,
):  # fmt: skip
    """Start `load_checkpoint` in a thread; return a future, whose `result()` waits for it.

    The file extension determines the format. `result()` raises the errors.

    >>> import tempfile; path = tempfile.mkdtemp() + "/a.ckpt"
    >>> save_checkpoint([Parameter(1.0, name="a")], path)
    >>> load_checkpoint_async(path).result()
    {'a': Parameter (name=a, shape=(), dtype=Float32, requires_grad=True)}
    """
    format = "safetensors" if str(ckpt_file_name).endswith(".safetensors") else "ckpt"
    pool = concurrent.futures.ThreadPoolExecutor(1)
    future = pool.submit(
        load_checkpoint, ckpt_file_name, net, strict_load, filter_prefix, dec_key, dec_mode,
        specify_prefix, choice_func, format=format,
    )  # fmt: skip
    pool.shutdown(wait=False)
    return future


@contextlib.contextmanager
def _located(name, format):
    """Yield (path, name in messages) of a file, or of a temporary file with its bytes."""
    if not isinstance(name, io.BytesIO):
        path = _existing(name, format)
        yield path, path
        return
    is_safetensors = format == "safetensors"
    require(is_safetensors, "string-format-ckpt", "load_checkpoint", argument="ckpt_file_name")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "given.safetensors")
        with open(path, "wb") as file:
            file.write(name.getbuffer())
        yield path, "the given BytesIO"


def _existing(name, format):
    kinds.PATH("load_checkpoint", ckpt_file_name=name)
    path = os.path.realpath(name)
    if not path.endswith(format):
        others = [other for other in file_formats.FORMATS if path.endswith(f".{other}")]
        remedy = message("pass-format", format=others[0]) if others else ""
        if path.endswith((".pth", ".pt", ".bin")):
            remedy = message("load-with-load-torch")
        raise rejection("ends-in-format", "load_checkpoint", ckpt_file_name=name, format=format,
                        remedy=remedy)  # fmt: skip
    exists = os.path.exists(path)
    require(exists, "file-does-not-exist", "load_checkpoint", path=path, error=ValueError)
    return path


def _prefixes(name, prefix):
    if prefix is None:
        return None
    prefixes = (prefix,) if isinstance(prefix, str) else prefix
    fits = isinstance(prefixes, (list, tuple)) and all(isinstance(p, str) for p in prefixes)
    require(fits, "string-several", "load_checkpoint", argument=name, got=prefix)
    is_empty = not prefixes or "" in prefixes
    require(not is_empty, "not-empty", "load_checkpoint", argument=name, got=prefix)
    return tuple(prefixes)


def _choice(wanted, unwanted, choice_func):
    if wanted is None and unwanted is None:
        return choice_func or (lambda tag: True)
    return lambda tag: (
        (wanted is None or tag.startswith(wanted))
        and not (unwanted is not None and tag.startswith(unwanted))
    )


def _restored(name, x, label):
    if isinstance(x, str):
        return x
    try:
        parameter = Parameter(x, name=name)
    except ValueError as error:
        raise rejection("entry-refused", "load_checkpoint", label=label, cause=error) from None
    parameter.checkpoint = label
    return parameter
