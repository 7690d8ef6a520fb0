"""A run of a network, forward and backward, as NumPy arrays, for `compare`."""

import dataclasses
import json
import os
from typing import Any

import numpy as np

from sporax._src.diagnosis.rules import rejection, require
from sporax.io import atomic_write, npz_file, untrusted_file

_FORMAT = 1
_SIMPLE = bool, int, float, str, type(None)


@dataclasses.dataclass
class Module:
    """A module or Cell: its path, the names of its class and bases, its plain attributes."""

    path: str
    classes: list
    attributes: dict

    @property
    def kind(self):
        """The name of its class."""
        return self.classes[0]


@dataclasses.dataclass
class Call:
    """One call of a module: its inputs and outputs, and the gradients of the loss with respect to
    them.

    Gradients are None for integers and for tensors that the loss does not depend on.
    """

    path: str
    number: int  # of this module's calls, from 0 on
    inputs: list
    outputs: list
    input_gradients: list
    output_gradients: list


@dataclasses.dataclass
class ModuleRun:
    """A network's run: modules in the order of their definition, calls in the order of their ends.

    `weights`: parameters and buffers by path, before the run; `trainable`: the paths of parameters
    with gradients; `state`: the buffers after the run; `outputs`: of the network. The loss is the
    sum of all outputs, each times fixed random numbers (`loss_weights`).
    """

    modules: list
    calls: list
    inputs: list
    weights: dict
    trainable: list
    state: dict
    outputs: list
    input_gradients: list
    gradients: dict
    failure: Any = None  # the error that ended the run of a Cell; earlier results are present

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to an `.npz` file, for a comparison in another environment."""
        arrays = []

        def packed(x):
            if isinstance(x, np.ndarray):
                arrays.append(x)
                return {"array": len(arrays) - 1}
            if isinstance(x, (Module, Call)):
                return packed(vars(x))
            if isinstance(x, dict):
                return {"dict": [[k, packed(v)] for k, v in x.items()]}
            return [packed(v) for v in x] if isinstance(x, (list, tuple)) else x

        fields = {name: x for name, x in vars(self).items() if name != "failure"}
        text = json.dumps({"format": _FORMAT, "run": packed(fields)})
        kept = {f"a{i}": x for i, x in enumerate(arrays)}
        with atomic_write.replacing(path) as temp_path, open(temp_path, "wb") as file:
            np.savez_compressed(file, structure=np.array(text), **kept)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "ModuleRun":
        """Read a file that `save` wrote; raises ValueError for any other file.

        >>> ModuleRun.load("nowhere.npz")
        Traceback (most recent call last):
        ValueError: For 'ModuleRun.load', 'nowhere.npz' is no recorded run: No such file or ...
        """
        try:
            with npz_file.opened(path) as arrays:
                content = json.loads(arrays["structure"].item())
                fits = content["format"] == _FORMAT
                require(fits, "format-read-record-anew", content=content["format"], format=_FORMAT)
                fields = _unpacked(content["run"], arrays)
                fields["modules"] = [Module(**m) for m in fields["modules"]]
                fields["calls"] = [Call(**c) for c in fields["calls"]]
                return cls(**fields)
        except npz_file.MALFORMED as error:
            raise rejection("no-recorded-run", "ModuleRun.load", argument=path,
                            cause=untrusted_file.cause(error)) from None  # fmt: skip


def _unpacked(x, arrays) -> Any:
    if isinstance(x, dict) and "array" in x:
        return arrays[f"a{x['array']}"]
    if isinstance(x, dict):
        return {k: _unpacked(v, arrays) for k, v in x["dict"]}
    return [_unpacked(v, arrays) for v in x] if isinstance(x, list) else x


def plain(value):
    """Convert an attribute to JSON: numbers, strings, lists of them, names of functions and dtypes;
    None for anything else."""
    if isinstance(value, _SIMPLE):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return getattr(value, "__name__", None)


def plain_attributes(obj, parameters):
    """Return the public plain attributes of a module by name, and `has_bias` if it has its own
    `parameters`."""
    attributes = {k: plain(v) for k, v in vars(obj).items() if not k.startswith("_")}
    attributes = {k: v for k, v in attributes.items() if v is not None or vars(obj)[k] is None}
    there = [name for name, p in parameters.items() if p is not None]
    if there:
        attributes["has_bias"] = any("bias" in name for name in there)
    return attributes


def tensors_in(x, is_tensor):
    """Return the tensors in nested tuples, lists and dicts, in order."""
    if is_tensor(x):
        return [x]
    if isinstance(x, dict):
        x = x.values()
    elif not isinstance(x, (list, tuple)):
        return []
    return [leaf for item in x for leaf in tensors_in(item, is_tensor)]


def loss_weights(number: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return the random factors of output `number`, of this shape, in the loss."""
    return np.random.default_rng([20240917, number]).standard_normal(shape).astype(np.float32)


def checked_inputs(inputs):
    """Return `inputs`, one array or a tuple or list of them, as a list of arrays."""
    arrays = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    for i, x in enumerate(arrays):
        if not isinstance(x, np.ndarray) or x.dtype.kind not in "biuf":
            kind = f"an array of {x.dtype}" if isinstance(x, np.ndarray) else type(x).__name__
            raise rejection("arrays-of-numbers", "compare", i=i, kind=kind)
    return arrays
