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

from sporax._src.devices.sharding.mesh import Placement
from sporax._src.diagnosis.argument_kinds import INT, TUPLE, instance_of
from sporax._src.diagnosis.rules import rejection, require

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
    it returns a Layout for that tensor.

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
            known = self._alias_name
            require(name in numbers, "axis-one-none", "Layout", names=known, got=name)
            is_new = name == "None" or name not in used
            require(is_new, "axis-divide-one-dimension", "Layout", name=name)
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
        require(self._tensor_map is not None, "say-what-axes-divide", "Layout.to_dict")
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

    >>> from sporax._src.devices.sharding.layout import DistributedTensorInfo, Layout
    >>> DistributedTensorInfo(Layout((2, 4), ("dp", "mp"))(("dp", "mp"), "None")).sharding_strategy
    [8, 1]
    """

    def __init__(self, distributed_info):
        instance_of(Layout)("DistributedTensorInfo", distributed_info=distributed_info)
        self.layout = self.distributed_info = distributed_info

    @property
    def sharding_strategy(self):
        """The number of parts of each dimension, including parts on one device."""
        about, counts = self.layout.to_dict(), []
        sizes = about["device_matrix"][::-1]
        for numbers in about["tensor_map"]:
            numbers = numbers if isinstance(numbers, tuple) else (numbers,)
            counts.append(math.prod(sizes[k] for k in numbers if k != -1))
        return counts


def _check_axes(device_matrix, alias_name):
    TUPLE("Layout", device_matrix=device_matrix, alias_name=alias_name)
    fits, fields = len(device_matrix) == len(alias_name), {"device_matrix": device_matrix}
    require(fits, "name-axis-device-matrix", "Layout", alias_name=alias_name, **fields)
    for name, kind, values in (("device_matrix", int, device_matrix),
                               ("alias_name", str, alias_name)):  # fmt: skip
        for value in values:
            if not isinstance(value, kind):
                raise rejection("element-type", "Layout", name=name, kind=kind.__name__, got=value)
    differ = len({*alias_name, "", "None"}) == len(alias_name) + 2
    require(differ, "names-alias-name-differ-neither", "Layout", got=alias_name)
    is_last = _INTERLEAVED not in alias_name[:-1]
    require(is_last, "last-name", "Layout", name=_INTERLEAVED, got=alias_name)


def _check_ranks(rank_list, count):
    are_ints = isinstance(rank_list, list) and all(isinstance(r, int) for r in rank_list)
    require(are_ints, "list-ints", "Layout", rank_list=rank_list)
    n = len(rank_list)
    require(n == count, "number-devices", "Layout", rank_list=n, count=count)


# placements -----------------------------------------------------------------------------------


def placements(who, mesh, shapes, strategy, words="in_strategy", transposed=()):
    """Return a `Placement` for each tensor of these shapes by a strategy: for each, a Layout or a
    tuple with the number of parts of each dimension. `transposed`: the indices of the tensors whose
    last two dimensions the operation swaps. Raises ValueError for an invalid strategy."""
    n, fits = len(shapes), len(strategy) == len(shapes)
    require(fits, "entry-tensors", who, argument=words, count=n, got=strategy)
    for k, (shape, entry) in enumerate(zip(shapes, strategy, strict=True)):
        _check_entry(who, words, k, shape, entry)
    if any(isinstance(entry, Layout) for entry in strategy):
        return [_of_layout(who, mesh, entry) for entry in strategy]
    axes, specs = {}, []
    for k, entry in enumerate(strategy):
        labels, spec = _ALIKE.get(who, ("", ""))[k] if k < 2 else "", []
        labels = labels[::-1] if k in transposed else labels
        for dim, shards in enumerate(entry):
            last = len(entry) - dim  # 1: the last dimension
            label = labels[-last] if last <= len(labels) else f"_{last}"
            if axes.get(label, shards) != shards:
                label = f"{label}_{k}"  # divided differently: a separate axis
            if shards > 1:
                axes[label] = shards
            spec.append(label if shards > 1 else None)
        specs.append(tuple(spec))
    grid = _grid(who, mesh.devices, tuple(axes.items()), strategy)
    return [Placement(mesh, s, NamedSharding(grid, PartitionSpec(*s))) for s in specs]


def _check_entry(who, words, k, shape, entry):
    is_entry = isinstance(entry, (tuple, Layout))
    require(is_entry, "element-tuple-layout", who, argument=words, got=entry)
    counts = shard_counts(entry)
    for n in counts:
        require(INT.accepts(n), "ints-argument-type", who, argument=words, got=n, entry=entry)
    fits, name = len(counts) == len(shape), f"{words}[{k}]"
    require(fits, "number-for-each-dimension", who, argument=name, shape=shape, got=tuple(counts))
    for dim, (size, n) in enumerate(zip(shape, counts, strict=True)):
        fits, fields = n >= 1 and size % n == 0, {"shape": shape, "dim": dim, "size": size}
        require(fits, "entry-divide-shape-dimension", who, argument=name, n=n, **fields)


def shard_counts(entry):
    """Return the number of parts of each dimension in a strategy's entry."""
    if not isinstance(entry, Layout):
        return entry
    sizes = dict(zip(entry._alias_name, entry._device_shape, strict=True))
    return [math.prod(sizes[n] for n in names or ()) for names in entry._spec()]


def _of_layout(who, mesh, layout):
    require(isinstance(layout, Layout), "strategy-layouts-all-tensors", who, got=layout)
    pairs = zip(layout._alias_name, layout._device_shape, strict=True)
    axes = tuple([(name, size) for name, size in pairs if name != _INTERLEAVED])
    ranks = layout._rank_list[: math.prod(size for _, size in axes)]
    if ranks != [*range(mesh.size)]:
        fields = {"mesh": mesh, "shape": layout._device_shape, "ranks": ranks}
        raise rejection("layout-devices-order-grid", who, size=mesh.size, **fields)
    grid = _grid(who, mesh.devices, axes, (layout,))
    spec = tuple(layout._spec())
    return Placement(mesh, spec, NamedSharding(grid, PartitionSpec(*spec)))


def _grid(who, devices, axes, strategy):
    needed = math.prod(size for _, size in axes)
    n = len(devices)
    fields = {"count": n, "needed": needed, "strategy": strategy}
    require(n % needed == 0, "strategy-divide-devices-mesh", who, **fields)
    return _devices_in_grid(devices, ((_SAME, len(devices) // needed), *axes))


@functools.cache
def _devices_in_grid(devices, axes):
    sizes = [size for _, size in axes]
    return jax.sharding.Mesh(np.array(devices).reshape(sizes), tuple([name for name, _ in axes]))
