"""Pipelines as JSON, and back: `serialize`, `deserialize`, `compare`, `show`.

An operation is {"op_type": its class, "children": [...], parameter: argument, ...}, as in
MindSpore, whose JSON of common pipelines is read too. A value without a JSON type is
{"python_type": ..., "value": ...}.
Python functions and other objects are kept by name only.
"""

import enum
import importlib
import inspect
import json
import logging
from pathlib import Path
from typing import Any

import numpy as np

import sporax.data
from sporax._src.core import dtype as dtypes
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import Message, rejection, require
from sporax.data import concat_zip, sampler
from sporax.data.cache import DatasetCache
from sporax.data.constructor_calls import arguments, parameters
from sporax.data.dataset import Dataset
from sporax.data.operation import _Operation
from sporax.data.pipeline import STEPS
from sporax.data.text.vocab import Vocab
from sporax.data.vision.enums import Border, Inter
from sporax.io import atomic_write, untrusted_file

_log = logging.getLogger("sporax")

# in MindSpore's JSON ----------------------------------------------------------------------------

# keys without a parameter in Python
_INTERNAL = {
    "callback", "connector_queue_size", "device_target", "even_dist", "recursive",
    "reset_each_epoch", "reshuffle_each_epoch", "rgb", "seed", "children_flag_and_nums",
    "children_sizes", "children_start_end_index",
}  # fmt: skip
_NAMES = {"HwcToChw": "HWC2CHW"}  # of operations
_PARAMETERS = {"data_type": "output_type"}
_INTER = Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA, Inter.PILCUBIC
_NUMBERED = {  # arguments encoded as numbers
    "interpolation": _INTER, "resample": _INTER, "padding_mode": tuple(Border),
    "shuffle": (False, sporax.data.Shuffle.FILES, sporax.data.Shuffle.GLOBAL),
}  # fmt: skip
_MODULES = "transforms", "vision", "text", "audio"
_OPTIONAL = "center", "class_indexing", "extensions", "input_columns", "output_columns"
_SAMPLING = "num_samples", "shuffle", "sampler", "num_shards", "shard_id"


# to JSON ------------------------------------------------------------------------------------------


class _Object:
    """A Python object in a description, equal to itself and to any object that compares equal."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value is other.value or bool(self.value == other.value)

    __hash__ = None  # pyright: ignore


def _name(value):
    kind = value if hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _tagged(kind, value, **more):
    return {"python_type": kind, "value": value} | more


def _written(value, of_object):
    """Return a value in JSON types; `of_object`: converts an object that JSON cannot hold."""
    for kinds, convert in _WRITERS:
        if isinstance(value, kinds):
            return convert(value, of_object)
    return _tagged("object", of_object(value))


def _array(value, of_object):
    return _tagged("array", value.tolist(), dtype=str(value.dtype))


def _dict(value, of_object):
    items = [[_written(k, of_object), _written(v, of_object)] for k, v in value.items()]
    if all(isinstance(key, str) for key in value) and "python_type" not in value:
        return {key: item for key, item in items}
    return _tagged("dict", items)


def _operation(value, of_object):
    name = type(value).__name__
    if _class_of(name, _Operation) is not type(value):
        return _tagged("object", of_object(value))
    return {"tensor_op_name": name, "tensor_op_params": _parameters(arguments(value), of_object)}


def _parameters(given, of_object):
    return {name: _written(value, of_object) for name, value in given.items()}


def _sampler(value, of_object):
    if isinstance(value, sampler.IterSampler) and isinstance(value.sampler, (list, tuple, range)):
        value = sampler.SubsetSampler(list(value.sampler), value.num_samples)
    names = [name for name in parameters(type(value)) if name in vars(value)]
    described = {name: _written(getattr(value, name), of_object) for name in names}
    if getattr(sporax.data, type(value).__name__, None) is not type(value):
        described = {"object": of_object(value)}
    described["sampler_name"] = type(value).__name__
    if value.get_child() is not None:
        described["child_sampler"] = [_sampler(value.get_child(), of_object)]
    return described


def _plain(value, of_object):
    return value


_WRITERS = (
    (dtypes.Type, lambda v, o: _tagged("dtype", str(v).lower())),
    (enum.Enum, lambda v, o: _tagged("enum", f"{type(v).__name__}.{v.name}")),
    ((bool, int, float, str, type(None)), _plain),
    (np.generic, lambda v, o: _array(np.asarray(v), o)),
    (np.ndarray, _array),
    (Tensor, lambda v, o: _array(v.asnumpy(), o)),
    (Path, lambda v, o: str(v)),
    (tuple, lambda v, o: _tagged("tuple", [_written(x, o) for x in v])),
    (list, lambda v, o: [_written(x, o) for x in v]),
    (dict, _dict),
    (bytes, lambda v, o: _tagged("bytes", v.hex())),
    (slice, lambda v, o: _tagged("slice", [v.start, v.stop, v.step])),
    (type(...), lambda v, o: _tagged("ellipsis", None)),
    (_Operation, _operation),
    (sampler.Sampler, _sampler),
    (DatasetCache, lambda v, o: _tagged("cache", _parameters(v._arguments(), o))),
    (Vocab, lambda v, o: _tagged("vocab", v.vocab())),
)


def _described(dataset, of_object):
    given = dataset._parameters()
    if getattr(dataset, "sampler", None) is not None and "sampler" in given:
        given = {name: value for name, value in given.items() if name not in _SAMPLING}
        given["sampler"] = dataset.sampler
    written = _parameters(given, of_object)
    children = [_described(child, of_object) for child in dataset.children]
    return {"op_type": type(dataset).__name__, "children": children} | written


def to_json(self, filename=""):
    """Return the pipeline as a JSON-compatible dict, and write it to `filename` if given."""
    described = _described(self, _name)
    if filename:
        try:
            atomic_write.write(filename, json.dumps(described).encode("utf8"))
        except OSError as error:
            fields = {"json_filepath": filename, "cause": error.strerror}
            raise rejection("file-can-written", "serialize", **fields) from None
    return described


def _dataset(who, name, value):
    require(
        isinstance(value, Dataset), "must-be-type", who, argument=name, got=value, kind="a-dataset"
    )
    return value


def serialize(dataset, json_filepath=""):
    """Return a pipeline as a JSON-compatible dict, for `deserialize`, and write it to the file
    `json_filepath` if given. Python functions are kept by name only.

    >>> from sporax.data import NumpySlicesDataset
    >>> serialize(NumpySlicesDataset([1, 2], "x").take(1))["op_type"]
    'Take'
    """
    return _dataset("serialize", "dataset", dataset).to_json(json_filepath)


def compare(pipeline1, pipeline2):
    """Return True if two pipelines have the same operations with the same arguments.

    >>> from sporax.data import NumpySlicesDataset
    >>> rows = NumpySlicesDataset([1, 2], "x")
    >>> compare(rows.take(1), rows.take(1)), compare(rows.take(1), rows.take(2))
    (True, False)
    """
    _dataset("compare", "pipeline1", pipeline1)
    _dataset("compare", "pipeline2", pipeline2)
    return _described(pipeline1, _Object) == _described(pipeline2, _Object)


def show(dataset, indentation=2):
    """Log a pipeline as JSON, at level INFO.

    >>> from sporax.data import NumpySlicesDataset
    >>> show(NumpySlicesDataset([1, 2], "x"))
    """
    described = _dataset("show", "dataset", dataset).to_json()
    _log.info(json.dumps(described, indent=indentation))


# from JSON ----------------------------------------------------------------------------------------


def _class_of(name, kind) -> Any:
    """Return the class of that name, a subclass of `kind`, in the public modules, or None. A
    description can call nothing else in them: some functions write files."""
    modules = [importlib.import_module(f"sporax.data.{m}") for m in _MODULES]
    for module in (*modules, sporax.data):
        cls = getattr(module, name) if name in module.__all__ else None
        if isinstance(cls, type) and issubclass(cls, kind):
            return cls
    return None


def _enum(value):
    kind, _, member = value.partition(".")
    return _class_of(kind, enum.Enum)[member]


def _object_of(value):
    raise rejection("no-functions-in-json", "deserialize", got=value)


_READERS = {
    "array": lambda value, dtype: np.array(value, dtype),
    "bytes": bytes.fromhex,
    "cache": lambda value: DatasetCache(**value),
    "dict": lambda value: {_read(k): _read(v) for k, v in value},
    "dtype": lambda value: dtypes.NAMES[value.lower()],
    "ellipsis": lambda value: ...,
    "enum": _enum,
    "object": _object_of,
    "slice": lambda value: slice(*value),
    "tuple": lambda value: tuple([_read(x) for x in value]),
    "vocab": Vocab.from_dict,
}


def _read(value):
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "python_type" in value:
        more = {key: value[key] for key in value if key not in ("python_type", "value")}
        is_known, names = value["python_type"] in _READERS, [*_READERS]
        require(is_known, "known-python-type", "deserialize", python_type=value, names=names)
        return _READERS[value["python_type"]](value["value"], **more)
    if "tensor_op_name" in value:
        return _read_operation(value)
    if "sampler_name" in value:
        return _read_sampler(value)
    return {key: _read(item) for key, item in value.items()}


def _read_operation(described):
    name = described["tensor_op_name"]
    name = _NAMES.get(name, name)
    cls = _class_of(name, _Operation)
    if "tensor_op_params" not in described:
        _object_of(name)
    require(cls is not None, "no-operation", "deserialize", name=name)
    return _built(cls, described["tensor_op_params"] or {})


def _read_sampler(described):
    name = described["sampler_name"]
    cls = _class_of(name, sampler.Sampler)
    if cls is None:
        _object_of(name)
    given = {k: v for k, v in described.items() if k not in ("sampler_name", "child_sampler")}
    shuffle_mode = given.pop("shuffle_mode", None)
    if cls is sampler.DistributedSampler and shuffle_mode is not None:
        given["shuffle"] = shuffle_mode != 0
    given["num_samples"] = given.get("num_samples") or None  # 0 in MindSpore's JSON
    built = _built(cls, given)
    for child in described.get("child_sampler", ()):
        built.add_child(_read_sampler(child))
    return built


def _argument(name, value):
    """Return an argument from MindSpore's JSON, or from this module's."""
    value = _read(value)
    if name in _NUMBERED and type(value) is int:
        return _NUMBERED[name][value]
    if name == "fill_value" and isinstance(value, list):
        return tuple(value)
    return None if name in _OPTIONAL and not value else value


def _built(cls, described: dict[str, Any], *first):
    allowed = parameters(cls)
    kwargs, args = {}, list(first)
    for key, value in described.items():
        name = _PARAMETERS.get(key, key) if key not in allowed else key
        if name not in allowed and key in _INTERNAL:
            continue
        known = name in allowed
        require(known, "no-parameter-of", "deserialize", cls=cls.__name__, name=key)
        if allowed[name].kind is inspect.Parameter.VAR_POSITIONAL:
            args += _read(value)
        else:
            kwargs[name] = _argument(name, value)
    return cls(*args, **kwargs)


def _pipeline(described):
    fits = isinstance(described, dict) and "op_type" in described
    require(fits, "dict-with-op-type", "deserialize", got=described)
    name = described["op_type"]
    children = [_pipeline(child) for child in described.get("children", ())]
    given = {key: value for key, value in described.items() if key not in ("op_type", "children")}
    cls = STEPS.get(name) or _class_of(name, Dataset)
    if cls is None:
        raise rejection("no-operation", "deserialize", name=name)
    n, got = len(cls._children), len(children)
    fits = n == got or "datasets" in cls._children
    require(fits, "number-of-children", "deserialize", argument=name, n=n, got=got)
    if cls is concat_zip.Concat:
        return cls(children[0], children[1:])
    if cls is concat_zip.Zip:
        return cls(children)
    return _built(cls, given, *children)


def deserialize(input_dict=None, json_filepath=None):
    """Build the pipeline that `serialize` described: `input_dict`, or the content of a file;
    None without both. MindSpore's own descriptions of common pipelines are read too.

    >>> from sporax.data import NumpySlicesDataset
    >>> described = serialize(NumpySlicesDataset([4, 5, 6], "x", shuffle=False).skip(1))
    >>> [int(row["x"]) for row in deserialize(described).create_dict_iterator(1)]
    [5, 6]
    """
    if json_filepath:
        try:
            input_dict = untrusted_file.json_of(untrusted_file.content(json_filepath))
        except (OSError, ValueError) as error:
            fields = {"json_filepath": json_filepath, "cause": error}
            raise rejection("file-of-serialize", "deserialize", **fields) from None
    if not input_dict:
        return None
    try:
        return _pipeline(input_dict)
    except (RuntimeError, *untrusted_file.MALFORMED) as error:
        said = error.args[0] if error.args else None
        fields: dict[str, Any] = {"cause": error}
        if isinstance(said, Message) and said.who == "deserialize":
            fields["cause"] = said.clause()
        if json_filepath:
            fields["path"] = json_filepath
            raise rejection("file-of-pipeline", "deserialize", **fields) from error
        if str(error).startswith("For '"):  # an argument error of a class
            raise
        raise rejection("dict-of-serialize", "deserialize", error=RuntimeError, **fields) from error


__all__ = ["compare", "deserialize", "serialize", "show"]
