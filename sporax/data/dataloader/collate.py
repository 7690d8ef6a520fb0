"""Conversion of samples to Tensors, and of lists of samples to batches, in nested containers."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import numpy as np

from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection
from sporax.data.dataloader.transfer import as_tensor

_NO_NUMBERS = "SaUO"  # dtype kinds of NumPy's text and objects


def default_convert(data):
    """Convert the NumPy arrays and scalars of a sample to Tensors, also in nested containers.

    Arrays of text or objects and all other values are unchanged.

    >>> from sporax.data.dataloader import default_convert
    >>> default_convert({"x": np.array([1, 2])})
    {'x': Tensor(shape=[2], dtype=Int64, value= [1, 2])}
    """
    if isinstance(data, np.ndarray):
        return data if data.dtype.kind in _NO_NUMBERS else as_tensor(data)
    if isinstance(data, (np.number, np.bool_)):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if _is_sequence(data):
        return _like_sequence(data, [default_convert(item) for item in data])
    return data


def collate(batch, *, collate_fn_map=None):
    """Collate a list of samples by the functions of `collate_fn_map` (type: function).

    A function receives the list and, by keyword, `collate_fn_map`. Mappings are collated by key,
    sequences by position.
    """
    first, functions = batch[0], collate_fn_map or {}
    if type(first) in functions:
        return functions[type(first)](batch, collate_fn_map=collate_fn_map)
    for kind, function in functions.items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: [sample[key] for sample in batch] for key in first}
        return _like_mapping(
            first, {k: collate(c, collate_fn_map=collate_fn_map) for k, c in columns.items()}
        )
    if _is_sequence(first):
        if len({len(sample) for sample in batch}) > 1:
            raise rejection("samples-same-length", "collate", got=[len(sample) for sample in batch])
        columns = [list(column) for column in zip(*batch, strict=True)]
        return _like_sequence(first, [collate(c, collate_fn_map=collate_fn_map) for c in columns])
    raise rejection("no-function-for-type", "collate", got=first)


def default_collate(batch):
    """Collate a list of samples: numbers, arrays and Tensors are stacked along a new first axis.

    Texts stay a list; mappings are collated by key, sequences by position.

    >>> from sporax.data.dataloader import default_collate
    >>> default_collate([(1, "a"), (2, "b")])
    [Tensor(shape=[2], dtype=Int64, value= [1, 2]), ['a', 'b']]
    """
    return collate(batch, collate_fn_map=_FUNCTIONS)


def _is_sequence(data):
    return isinstance(data, Sequence) and not isinstance(data, (str, bytes))


def _like_mapping(old, new):
    """Return `new` in a container of the type of `old` if possible, else as a dict."""
    try:
        if isinstance(old, MutableMapping):
            clone = copy.copy(old)
            clone.update(new)
            return clone
        return type(old)(new)
    except TypeError:  # its constructor takes other arguments
        return new


def _like_sequence(old, new):
    """Return `new` in a container of the type of `old` if possible; a tuple becomes a list."""
    if isinstance(old, tuple):
        return type(old)(*new) if hasattr(old, "_fields") else new
    try:
        if isinstance(old, MutableSequence):
            clone = copy.copy(old)
            clone[:] = new
            return clone
        return type(old)(new)
    except TypeError:  # its constructor takes other arguments, as range's
        return new


def _stacked(batch, collate_fn_map=None):
    if isinstance(batch[0], np.ndarray) and batch[0].dtype.kind in _NO_NUMBERS:
        raise rejection("arrays-numbers", "default_collate", dtype=batch[0].dtype)
    return as_tensor(np.stack([np.asarray(sample) for sample in batch]))


def _float64(batch, collate_fn_map=None):
    return as_tensor(np.array(batch, np.float64))


def _same(batch, collate_fn_map=None):
    return batch


_FUNCTIONS = {
    Tensor: _stacked,
    np.ndarray: _stacked,
    (np.bool_, np.number, np.object_): _stacked,
    float: _float64,
    int: _stacked,
    str: _same,
    bytes: _same,
}
