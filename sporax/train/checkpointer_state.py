"""Nested states as JSON and arrays by name; nothing in them is executed."""

from typing import Any

import numpy as np

from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import rejection

_PLAIN = (bool, int, float, str, type(None))
_SEQUENCES = {"list": list, "tuple": tuple}
_ARRAYS = {
    "parameter": (Parameter, lambda x: x, lambda x, name: Parameter(x, name=name)),
    "tensor": (Tensor, lambda x: x, lambda x, name: Tensor(x)),
    "array": (np.ndarray, np.array, lambda x, name: np.array(x)),
    "scalar": (np.generic, np.asarray, lambda x, name: x[()]),
}


def encode(x, arrays, path="state"):
    """Encode a state as JSON; its Tensors and arrays are stored in the dict `arrays`, by path."""
    if type(x) in _PLAIN:
        return x
    for kind, sequence in _SEQUENCES.items():
        if type(x) is sequence:
            return [kind, *[encode(item, arrays, f"{path}/{i}") for i, item in enumerate(x)]]
    if isinstance(x, dict):
        items = enumerate(x.items())
        return ["dict", *[[encode(k, arrays), encode(v, arrays, f"{path}/{i}:{k}")]
                          for i, (k, v) in items]]  # fmt: skip
    for kind, (cls, as_array, _) in _ARRAYS.items():
        if isinstance(x, cls):
            arrays[path] = as_array(x)
            return [kind, path, getattr(x, "name", None)]
    raise rejection("state-hold-numbers-strings", "Checkpointer", got=x, path=path)


def decode(x, arrays) -> Any:
    """Decode the result of `encode`."""
    if not isinstance(x, list):
        return x
    kind, *items = x
    if kind == "dict":
        return {decode(k, arrays): decode(v, arrays) for k, v in items}
    if kind in _SEQUENCES:
        return _SEQUENCES[kind](decode(item, arrays) for item in items)
    path, name = items
    return _ARRAYS[kind][2](arrays[path], name)
