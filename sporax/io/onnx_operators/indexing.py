"""Reading and writing at indices."""

import functools

import numpy as np

from sporax.io.onnx_operators.declare import rules
from sporax.io.onnx_operators.elementwise import computed_dtype, narrowed
from sporax.io.onnx_operators.shapes import padded

RULES, rule = rules()


def _clipped(graph, index, most):
    """Return an index between 0 and a size, the name of a tensor (1,)."""
    return graph.add("Max", graph.add("Min", index, most), np.zeros(1, np.int64))


def _starts(graph, indices, shape, sizes):
    """Return the name of the clamped starts (rank,) of a slice with these sizes."""
    parts = []
    for index, n, size in zip(indices, shape, sizes, strict=True):
        index = graph.add("Unsqueeze", graph.cast(index, np.int64), np.array([0]))
        parts.append(_clipped(graph, index, graph.size(n - size)))
    return graph.add("Concat", *parts, axis=0)


@rule("dynamic_slice")
def _dynamic_slice(graph, params, x, *indices, avals):
    sizes, indices = params["slice_sizes"], indices[: len(x.shape)]
    starts = _starts(graph, indices, x.shape, sizes)
    return graph.add("Slice", x, starts, graph.add("Add", starts, graph.shape(sizes)))


@rule("dynamic_update_slice")
def _dynamic_update_slice(graph, params, x, update, *indices, avals):
    starts = _starts(graph, indices, x.shape, update.shape)
    places = []
    for k, n in enumerate(update.shape):
        start = graph.add("Gather", starts, np.asarray(k))
        places.append([(graph.add("Add", graph.iota(n), start), [k])])
    return graph.add("ScatterND", x, _grid(graph, places, update.shape), update)


def _grid(graph, places, shape):
    """Return indices (*shape, rank). `places`: for each axis of the array, the terms of its index:
    (tensor, the axes of the shape that its axes are)."""
    columns = []
    for parts in places:
        terms = [_among(graph, place, axes, len(shape)) for place, axes in parts]
        place = functools.reduce(functools.partial(graph.add, "Add"), terms or [np.int64(0)])
        place = graph.add("Expand", place, graph.shape(shape))
        columns.append(graph.add("Unsqueeze", place, np.array([-1])))
    return graph.add("Concat", *columns, axis=-1)


def _among(graph, name, axes, rank):
    """Return a tensor as one of this rank, whose axes are these of it."""
    others = [k for k in range(rank) if k not in axes]
    return graph.add("Unsqueeze", name, np.array(others, np.int64)) if others else name


class _Windows:
    """The windows of an array that indices choose, for `gather` and `scatter`.

    `shape`: of the result or the updates, with the windows' axes at `offsets`; `sizes`: of a window
    along each axis of the array; `removed`: axes of it that the windows do not have; `chosen`: axes
    of it by index; `batching`: {axis of it: axis of the indices}.
    """

    def __init__(self, graph, x, indices, shape, offsets, removed, chosen, batching, sizes):
        self.graph, self.x, self.shape, self.sizes = graph, x, shape, sizes
        self.chosen = chosen
        self.batch = [k for k in range(len(shape)) if k not in offsets]  # axes of the indices
        windows = iter(offsets)
        self.places = []  # of each axis of the array: [(tensor, axes of the result), ...]
        numbers = graph.cast(indices, np.int64)
        self.starts = {
            axis: graph.add("Gather", numbers, np.asarray(k), axis=-1)
            for k, axis in enumerate(chosen)
        }
        for axis in range(len(x.shape)):
            parts = []
            if axis in self.starts:
                parts.append((self.starts[axis], self.batch))
            if axis in batching:
                k = batching[axis]
                parts.append((graph.iota(indices.shape[k]), [self.batch[k]]))
            elif axis not in removed:
                parts.append((graph.iota(sizes[axis]), [next(windows)]))
            self.places.append(parts)

    def clip(self):
        """Move windows that are partly outside into the array."""
        for axis, start in self.starts.items():
            most = self.graph.size(self.x.shape[axis] - self.sizes[axis])
            most = self.graph.add("Squeeze", most)
            low = self.graph.add("Max", start, np.int64(0))
            clipped = self.graph.add("Min", low, most)
            self.places[axis][0] = clipped, self.batch

    def are_inside(self):
        """Return the name of a Bool tensor: for each window, whether it is in the array."""
        fits = []
        for axis, start in self.starts.items():
            most = self.graph.size(self.x.shape[axis] - self.sizes[axis])
            fits.append(self.graph.add("GreaterOrEqual", start, np.int64(0)))
            fits.append(self.graph.add("LessOrEqual", start, self.graph.add("Squeeze", most)))
        return functools.reduce(functools.partial(self.graph.add, "And"), fits)

    def grid(self):
        """Return the indices (*shape, rank) of all elements of the windows."""
        return _grid(self.graph, self.places, self.shape)


def _is_mode(params, name):
    return str(params["mode"]).rpartition(".")[2].upper() == name


@rule("gather")
def _gather(graph, params, x, indices, *, avals):
    numbers, sizes, (aval,) = params["dimension_numbers"], params["slice_sizes"], avals
    batching = dict(
        zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)
    )  # fmt: skip
    windows = _Windows(
        graph, x, indices, aval.shape, numbers.offset_dims, numbers.collapsed_slice_dims,
        numbers.start_index_map, batching, sizes,
    )  # fmt: skip
    if not _is_mode(params, "PROMISE_IN_BOUNDS"):
        windows.clip()
    axis = _taken_axis(numbers, sizes, x, windows)
    if axis is not None:
        found = graph.add("Gather", x, windows.places[axis][0][0], axis=axis)
    else:
        found = graph.add("GatherND", x, windows.grid())
    if not _is_mode(params, "FILL_OR_DROP"):
        return found
    fill, wide = params["fill_value"], computed_dtype(x.dtype)
    if fill is None:
        fill = _default_fill(x.dtype)
    inside = _among(graph, windows.are_inside(), windows.batch, len(aval.shape))
    found = graph.cast(found, wide) if wide != x.dtype else found
    found = graph.add("Where", inside, found, np.asarray(fill, wide))
    return narrowed(graph, found, x.dtype)


def _default_fill(dtype):
    """Return what JAX takes for elements outside."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if dtype.kind == "u" else np.iinfo(dtype).min
    return np.nan if dtype.kind == "f" else True


def _taken_axis(numbers, sizes, x, windows):
    """Return the axis along which whole slices are taken, in their place; None for others."""
    if len(numbers.start_index_map) != 1 or numbers.operand_batching_dims:
        return None
    (axis,) = numbers.start_index_map
    whole = [k for k in range(len(x.shape)) if k != axis]
    count = len(windows.batch)
    after = range(axis + count, len(windows.shape))
    if (
        tuple(numbers.collapsed_slice_dims) == (axis,) and sizes[axis] == 1
        and all(sizes[k] == x.shape[k] for k in whole)
        and tuple(numbers.offset_dims) == (*range(axis), *after)
    ):  # fmt: skip
        return axis
    return None


_SCATTERS = {
    "scatter": "none", "scatter_add": "add", "scatter_mul": "mul", "scatter_min": "min",
    "scatter_max": "max",
}  # fmt: skip


def _scatter(reduction):
    def rule(graph, params, x, indices, updates, *, avals):
        numbers = params["dimension_numbers"]
        batching = dict(
            zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True)
        )  # fmt: skip
        removed = (*numbers.inserted_window_dims, *numbers.operand_batching_dims)
        offsets = iter(numbers.update_window_dims)
        sizes = [
            1 if k in removed else updates.shape[next(offsets)] for k in range(len(x.shape))
        ]  # fmt: skip
        windows = _Windows(
            graph, x, indices, updates.shape, numbers.update_window_dims,
            numbers.inserted_window_dims, numbers.scatter_dims_to_operand_dims, batching, sizes,
        )  # fmt: skip
        wide = computed_dtype(x.dtype)
        target, given = graph.cast(x, wide), graph.cast(updates, wide)
        if _is_mode(params, "CLIP"):
            windows.clip()
        if not windows.chosen or not _is_mode(params, "FILL_OR_DROP"):
            found = graph.add("ScatterND", target, windows.grid(), given, reduction=reduction)
            return narrowed(graph, found, x.dtype)
        # windows that are not inside go to a place behind the array, which is cut off
        axis, inside = windows.chosen[0], windows.are_inside()
        windows.clip()
        pairs = [(0, sizes[axis]) if k == axis else (0, 0) for k in range(len(x.shape))]
        longer = padded(graph, target, pairs, np.zeros((), wide), wide)
        start, axes = windows.places[axis][0]
        behind = graph.add("Squeeze", graph.size(x.shape[axis]))
        windows.places[axis][0] = graph.add("Where", inside, start, behind), axes
        found = graph.add("ScatterND", longer, windows.grid(), given, reduction=reduction)
        found = padded(graph, found, [(0, -high) for _, high in pairs], np.zeros((), wide), wide)
        return narrowed(graph, found, x.dtype)

    return rule


RULES |= {
    spelling: _scatter(reduction)
    for name, reduction in _SCATTERS.items()
    for spelling in (name, name.replace("_", "-"))
}
