"""`export` and `load`: a function or Cell in a file that runs without its Python code."""

import functools
import logging
import os
from collections.abc import Callable
from typing import Any

from sporax._src.capture.graph_capture.export.export import exported
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.io import graph_file, graph_vectors, mindir_file, mindir_writer, onnx_file
from sporax.io.corrupt_file import CorruptFile


def _write_graph(path, name, net, inputs):
    graph = exported(name, net, inputs)
    graph_file.write(path, graph, *graph_vectors.vectors(name, net, inputs))


_log = logging.getLogger("sporax")
_OURS = (".mindir", ".stablehlo")  # suffixes that `load` reads
_FORMATS = {  # format -> (suffix, writer)
    "MINDIR": (".mindir", _write_graph),
    "STABLEHLO": (".stablehlo", _write_graph),
    "ONNX": (".onnx", onnx_file.write),
}
_REFUSED = {"AIR": "for-ascend-only"}  # format -> rule of the remedy
_OPTIONS = {  # keyword of MindSpore -> rule of the remedy
    "enc_key": "encrypt-after-export",
    "enc_mode": "encrypt-after-export",
    "dataset": "preprocessing-in-function",
    "incremental": "file-written-whole",
    "custom_func": "no-protobuf-messages",
}


def export(net, *inputs, file_name, file_format, **kwargs):
    """Write a Cell or function to a file that runs without its Python code.

    `inputs`: example arguments, Tensors or tuples, lists and dicts of them; their contents do not
    matter. Numbers, strings and None among them become constants. A size of None, as in
    `Tensor(shape=[None, 3], dtype=ms.float32)`, is dynamic; all dynamic sizes along axis 0 are the
    same size, the batch. `file_name`: the format's suffix is appended if missing. `file_format`:
    'STABLEHLO', or 'MINDIR' for the same file with MindSpore's suffix: it has StableHLO and the
    Parameters, which sporax reads and MindSpore cannot. It runs on the kind of device in use.
    'ONNX', with the extra packages of `sporax[onnx]`: a file for ONNX runtimes, tested in
    onnxruntime before it is written; containers of Tensors are flattened.

    Raises ValueError if the function changes state, as a norm or dropout in training does (call
    `set_train(False)` first); RuntimeError, naming the line, if it needs a concrete value;
    NotImplementedError for format 'AIR' and for an operation that cannot be converted to ONNX;
    ImportError without the extra packages.

    >>> import tempfile, os
    >>> file = os.path.join(tempfile.mkdtemp(), "net.mindir")
    >>> net = nn.Dense(2, 1, weight_init="ones")
    >>> any_batch = Tensor(shape=[None, 2], dtype=ms.float32)
    >>> ms.export(net, any_batch, file_name=file, file_format="MINDIR")
    >>> nn.GraphCell(ms.load(file))(Tensor(np.ones((3, 2), np.float32))).shape
    (3, 1)
    """
    for option in kwargs:
        require(option in _OPTIONS, "no-keyword", "export", option=option)
        if kwargs[option] is not None:
            raise rejection("not-done", "export", argument=option, value=message(_OPTIONS[option]))
    if file_format in _REFUSED:
        raise rejection("file-format-not-done", "export", file_format=file_format,
                        refused=message(_REFUSED[file_format]))  # fmt: skip
    if file_format not in _FORMATS:
        raise rejection("one-of", "export", file_format=file_format, choices=(*_FORMATS, *_REFUSED))
    suffix, write = _FORMATS[file_format]
    path, name = _destination("export", net, file_name, suffix)
    if file_format == "MINDIR":
        _say_once()
    write(path, name, net, inputs)


def export_mindir(net: Callable[..., Any], *inputs: Any, file_name: str | os.PathLike[str]) -> None:
    """Write a Cell or function to a `.mindir` file that MindSpore 2.10 loads, as nodes of its
    primitives with the Parameters; `load` reads it, too.

    `inputs`: example arguments, Tensors of fixed sizes. Raises NotImplementedError with the names
    of operations that have no node: the file is for ordinary networks, such as image classifiers
    and transformers. Otherwise as `export`.

    >>> import tempfile; file = tempfile.mkdtemp() + "/dense.mindir"
    >>> export_mindir(nn.Dense(2, 1), ops.ones((3, 2)), file_name=file)
    >>> ms.load(file)(ops.ones((3, 2))).shape
    (3, 1)
    """
    path, name = _destination("export_mindir", net, file_name, ".mindir")
    mindir_writer.write(path, name, net, inputs)


def _destination(who, net, file_name, suffix):
    """Return (the path of the file to write, the name of the function to write)."""
    kinds.PATH(who, file_name=file_name)
    path = os.path.realpath(file_name)
    folder = os.path.dirname(path)
    require(os.path.isdir(folder), "folder-file-name-does-not", who, dirname=folder)
    require(callable(net), "must-be-type", who, net=net, kind="a-function-or-cell")
    path = path if path.endswith(suffix) else path + suffix
    return path, getattr(net, "__name__", type(net).__name__)


@functools.cache
def _say_once():
    _log.warning(message("mindir-is-ours"))


def load(file_name, **kwargs):
    """Load a file that `export` wrote, or a `.mindir` of MindSpore, as a function on Tensors;
    `nn.GraphCell` wraps it in a Cell.

    It takes the inputs of the export; print it to see them. Raises ValueError for a file that is
    missing, damaged, or of another kind, and for a `.mindir` with operations that sporax lacks,
    which it names, with control flow on Tensors, or with weights in other files.

    >>> import tempfile; file = tempfile.mkdtemp() + "/dense.mindir"
    >>> ms.export(nn.Dense(2, 1), ops.ones((3, 2)), file_name=file, file_format="MINDIR")
    >>> ms.load(file)(ops.ones((3, 2))).shape
    (3, 1)
    """
    if kwargs:
        raise rejection("not-done-files-not", "load", names=", ".join(map(repr, kwargs)))
    kinds.PATH("load", file_name=file_name)
    path = os.path.abspath(file_name)
    if not path.endswith(_OURS):
        raise rejection("end-export-format", "load", file_name=path, names=" or ".join(_OURS))
    require(os.path.isfile(path), "name-file-does-not", "load", argument="file_name", path=path)
    try:
        return (mindir_file if mindir_file.is_one(path) else graph_file).read(path)
    except CorruptFile as error:
        fields = {"argument": path, "cause": error, "remedy": error.remedy}
        raise rejection("no-whole-graph-sporax", "load", **fields) from None


def _save_graph(network, file_name):
    """Raise NotImplementedError; print `jit(network).graph(x)` or call `export` instead."""
    raise rejection("not-written", "_save_graph", argument=file_name)
