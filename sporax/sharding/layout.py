"""MindSpore's strategies and Layouts, as shardings over the devices of the entered Mesh.

A strategy gives the number of parts of each dimension of each operand, but not the axis of the
mesh. So the devices are arranged in a separate grid: an axis for the devices with the same part,
then an axis for each group of dimensions that are divided alike.
"""

import functools
import math

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax.sharding.mesh import Placement

_INTERLEAVED = "interleaved_parallel"
_SAME = "_same"  # the axis of the devices with the same part
# operation -> labels of the operands' last dimensions; equal labels are divided alike. For other
# operations, as elementwise ones, dimensions at the same position from the last are.
_ALIKE = {"MatMul": ("ik", "kj"), "BatchMatMul": ("ik", "kj")}


class Layout:
    """Devices in a grid with named axes, and, when called, the dimensions that the axes divide.

    `device_matrix`: the sizes of the axes, a tuple of ints. `alias_name`: their names, a tuple of
    strings; "interleaved_parallel" may be the last, for parts on one device. `rank_list`: the
    devices' numbers. Called with a name, a tuple of names or "None" for each dimension of a tensor,
    it returns a Layout for that tensor. Raises TypeError and ValueError for other arguments.

    >>> from sporax import parallel
    >>> layout = parallel.Layout((2, 2), ("dp", "mp"))("dp", "None")
    >>> layout.to_dict()["tensor_map"]
    (1, -1)
    """

    def __init__(self, device_matrix, alias_name, rank_list=None):
        _check_axes(device_matrix, alias_name)
        count = math.prod(device_matrix)
        if rank_list is not None:
            _check_ranks(rank_list, count)
        self._device_shape, self._alias_name = device_matrix, alias_name
        self._tensor_map = None
        self._rank_list = list(range(count)) if rank_list is None else rank_list

    def __call__(self, *tensor_map):
        numbers = {name: len(self._alias_name) - 1 - k for k, name in enumerate(self._alias_name)}
        numbers["None"] = -1
        used = set()

        def number(name):
            if name not in numbers:
                raise ValueError(
                    f"For 'Layout', an axis must be one of {self._alias_name} or 'None', but got "
                    f"{name!r}."
                )
            if name != "None" and name in used:
                raise ValueError(
                    f"For 'Layout', an axis must divide one dimension, but {name!r} is named twice."
                )
            used.add(name)
            return numbers[name]

        layout = Layout(self._device_shape, self._alias_name, list(self._rank_list))
        layout._tensor_map = tuple(
            [tuple(map(number, n)) if isinstance(n, tuple) else number(n) for n in tensor_map]
        )
        return layout

    def to_dict(self):
        """Return the grid and the divided dimensions; `tensor_map` has for each dimension the
        number of the axis, counted from the last, or -1."""
        if self._tensor_map is None:
            raise ValueError(
                "For 'Layout.to_dict', it must say what its axes divide, but it has not been "
                "called. Call it with a name for each dimension."
            )
        return {
            "device_matrix": self._device_shape, "tensor_map": self._tensor_map,
            "interleaved_parallel": _INTERLEAVED in self._alias_name,
            "alias_name": self._alias_name, "rank_list": self._rank_list,
        }  # fmt: skip

    def _spec(self):
        """Return for each dimension the names of the axes that divide it among devices, or None."""
        names = self._alias_name[::-1]
        return [
            tuple([names[k] for k in (n if isinstance(n, tuple) else (n,))
                   if k >= 0 and names[k] != _INTERLEAVED]) or None
            for n in self.to_dict()["tensor_map"]
        ]  # fmt: skip


class DistributedTensorInfo:
    """The distribution of a tensor on devices: MindSpore's private `_DistributedTensorInfo`.

    `distributed_info`: a `Layout` that has been called with the tensor's axes.

    >>> from sporax.sharding.layout import DistributedTensorInfo, Layout
    >>> DistributedTensorInfo(Layout((2, 4), ("dp", "mp"))(("dp", "mp"), "None")).sharding_strategy
    [8, 1]
    """

    def __init__(self, distributed_info):
        if not isinstance(distributed_info, Layout):
            raise TypeError(
                "For 'DistributedTensorInfo', 'distributed_info' must be a Layout, but got "
                f"{type(distributed_info).__name__}."
            )
        self.layout = self.distributed_info = distributed_info

    @property
    def sharding_strategy(self):
        """The number of parts of each dimension, including parts on one device."""
        about, parts = self.layout.to_dict(), []
        sizes = about["device_matrix"][::-1]
        for numbers in about["tensor_map"]:
            numbers = numbers if isinstance(numbers, tuple) else (numbers,)
            parts.append(math.prod(sizes[k] for k in numbers if k != -1))
        return parts


def _check_axes(device_matrix, alias_name):
    for name, value in (("device_matrix", device_matrix), ("alias_name", alias_name)):
        if not isinstance(value, tuple):
            raise TypeError(
                f"For 'Layout', '{name}' must be a tuple, but got {type(value).__name__}."
            )
    if len(device_matrix) != len(alias_name):
        raise ValueError(
            "For 'Layout', 'alias_name' must have a name for each axis of 'device_matrix', but got "
            f"{alias_name} for {device_matrix}."
        )
    for name, kind, values in (("device_matrix", int, device_matrix),
                               ("alias_name", str, alias_name)):  # fmt: skip
        for value in values:
            if not isinstance(value, kind):
                raise TypeError(
                    f"For 'Layout', an element of '{name}' must be of type {kind.__name__}, but "
                    f"got {type(value).__name__}."
                )
    if "" in alias_name or "None" in alias_name or len({*alias_name}) < len(alias_name):
        raise ValueError(
            "For 'Layout', the names in 'alias_name' must differ, and be neither empty nor 'None', "
            f"but got {alias_name}."
        )
    if _INTERLEAVED in alias_name[:-1]:
        raise ValueError(
            f"For 'Layout', {_INTERLEAVED!r} must be the last name, but got {alias_name}."
        )


def _check_ranks(rank_list, count):
    if not isinstance(rank_list, list) or not all(isinstance(r, int) for r in rank_list):
        raise TypeError(f"For 'Layout', 'rank_list' must be a list of ints, but got {rank_list!r}.")
    if len(rank_list) != count:
        raise ValueError(
            f"For 'Layout', 'rank_list' must have a number for each of the {count} devices, but "
            f"got {len(rank_list)}."
        )


# placements -----------------------------------------------------------------------------------


def placements(who, mesh, shapes, strategy, words="in_strategy", transposed=()):
    """Return a `Placement` for each tensor of these shapes by a strategy: for each, a Layout or a
    tuple with the number of parts of each dimension. `transposed`: the indices of the tensors whose
    last two dimensions the operation swaps. Raises ValueError for an invalid strategy."""
    if len(strategy) != len(shapes):
        raise ValueError(
            f"For '{who}', '{words}' must have an entry for each of the {len(shapes)} Tensors, but "
            f"got {len(strategy)}: {strategy}."
        )
    for k, (shape, entry) in enumerate(zip(shapes, strategy, strict=True)):
        _check_entry(who, words, k, shape, entry)
    if any(isinstance(entry, Layout) for entry in strategy):
        return [_of_layout(who, mesh, entry) for entry in strategy]
    axes, specs = {}, []
    for k, entry in enumerate(strategy):
        labels, spec = _ALIKE.get(who, ("", ""))[k] if k < 2 else "", []
        labels = labels[::-1] if k in transposed else labels
        for dim, parts in enumerate(entry):
            last = len(entry) - dim  # 1: the last dimension
            label = labels[-last] if last <= len(labels) else f"_{last}"
            if axes.get(label, parts) != parts:
                label = f"{label}_{k}"  # divided differently: a separate axis
            if parts > 1:
                axes[label] = parts
            spec.append(label if parts > 1 else None)
        specs.append(tuple(spec))
    grid = _grid(who, mesh.devices, tuple(axes.items()), strategy)
    return [Placement(mesh, s, NamedSharding(grid, PartitionSpec(*s))) for s in specs]


def _check_entry(who, words, k, shape, entry):
    if not isinstance(entry, (tuple, Layout)):
        raise TypeError(
            f"For '{who}', an entry of '{words}' must be a tuple of ints or a Layout, but got "
            f"{type(entry).__name__}."
        )
    parts = parts_of(entry)
    if any(not isinstance(n, int) or isinstance(n, bool) for n in parts):
        raise TypeError(f"For '{who}', '{words}' must have ints, but got {entry}.")
    if len(parts) != len(shape):
        raise ValueError(
            f"For '{who}', entry {k} of '{words}' must have a number for each dimension of shape "
            f"{shape}, but got {tuple(parts)}."
        )
    for dim, (size, n) in enumerate(zip(shape, parts, strict=True)):
        if n < 1 or size % n:
            raise ValueError(
                f"For '{who}', entry {k} of '{words}' must divide the shape, but dimension {dim} "
                f"of {shape} has size {size} and is to have {n} parts."
            )


def parts_of(entry):
    """Return the number of parts of each dimension in a strategy's entry."""
    if not isinstance(entry, Layout):
        return entry
    sizes = dict(zip(entry._alias_name, entry._device_shape, strict=True))
    return [math.prod(sizes[n] for n in names or ()) for names in entry._spec()]


def _of_layout(who, mesh, layout):
    if not isinstance(layout, Layout):
        raise TypeError(
            f"For '{who}', a strategy must have Layouts for all Tensors or for none, but got "
            f"{layout}."
        )
    pairs = zip(layout._alias_name, layout._device_shape, strict=True)
    axes = tuple([(name, size) for name, size in pairs if name != _INTERLEAVED])
    ranks = layout._rank_list[: math.prod(size for _, size in axes)]
    if ranks != [*range(mesh.size)]:
        raise ValueError(
            f"For '{who}', a Layout must have the {mesh.size} devices of {mesh} in their order, "
            f"but its grid is {layout._device_shape}, of the devices {ranks}."
        )
    grid = _grid(who, mesh.devices, axes, (layout,))
    spec = tuple(layout._spec())
    return Placement(mesh, spec, NamedSharding(grid, PartitionSpec(*spec)))


def _grid(who, devices, axes, strategy):
    needed = math.prod(size for _, size in axes)
    if len(devices) % needed:
        raise ValueError(
            f"For '{who}', a strategy must divide the {len(devices)} devices of the mesh, but "
            f"{strategy} makes {needed} parts."
        )
    return _devices_in_grid(devices, ((_SAME, len(devices) // needed), *axes))


@functools.cache
def _devices_in_grid(devices, axes):
    sizes = [size for _, size in axes]
    return jax.sharding.Mesh(np.array(devices).reshape(sizes), tuple([name for name, _ in axes]))
