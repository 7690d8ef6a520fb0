"""XLA's gather and scatter in NumPy: windows of an array, positioned by rows of an index array."""

import math

import numpy as np


class Windows:
    """Positions of the windows of a gather or scatter in an array.

    `indices`: `(*batch, number of indexed axes)`. `indexed`: the array's axes along which the last
    axis of `indices` positions windows; `paired`: (array axis, batch axis) that correspond;
    `sizes`: a window's length along each axis of the array; `dropped`: axes that windows do not
    keep.
    """

    def __init__(self, shape, indices, indexed, paired, sizes, dropped):
        self.batch = batch = indices.shape[:-1]
        starts = {axis: indices[..., i].astype(np.intp) for i, axis in enumerate(indexed)}
        room = {axis: shape[axis] - sizes[axis] for axis in indexed}
        self.valid = True  # mask of the windows that lie inside
        for axis, start in starts.items():
            self.valid = self.valid & ((start >= 0) & (start <= room[axis]))
        self.inside = bool(np.all(self.valid))
        if not self.inside:
            starts = {a: np.minimum(np.maximum(s, 0), room[a]) for a, s in starts.items()}
        self.kept = [a for a in range(len(shape)) if a not in dropped]
        # axes that are indexed by arrays; along the others, windows are slices from 0
        self.placed = sorted({a for a in starts if room[a]} | {a for a, _ in paired})
        self.placed += [a for a in starts if not room[a] and a in dropped]
        self.short = [a for a in self.kept if a in self.placed]  # windows shorter than the array
        self.whole = [a for a in self.kept if a not in self.placed]
        self.cut = {a: sizes[a] for a in self.whole if sizes[a] < shape[a]}
        rank = len(batch) + len(self.short)
        spread = batch + (1,) * len(self.short)
        self.index_arrays = []
        for axis in self.placed:
            pair = dict(paired).get(axis)
            if pair is not None:
                index = np.arange(shape[axis]).reshape(_along(rank, pair))
            else:
                index = starts[axis].reshape(spread)
            if axis in self.short:
                steps = np.arange(sizes[axis])
                index = index + steps.reshape(_along(rank, len(batch) + self.short.index(axis)))
            self.index_arrays.append(index)

    def axes_of_windows(self):
        """Return the position of each kept axis in (*batch, *short, *whole)."""
        order = self.short + self.whole
        return [len(self.batch) + order.index(axis) for axis in self.kept]


def _along(rank, axis):
    """Return the shape that puts a row along one axis."""
    return tuple([-1 if i == axis else 1 for i in range(rank)])


def _interleaved(rank, window_axes, of_windows):
    """Return the permutation from (*batch, *windows) to an array with windows at `window_axes`."""
    batch, sources = iter(range(rank)), dict(zip(window_axes, of_windows, strict=True))
    return [sources[axis] if axis in sources else next(batch) for axis in range(rank)]


def gather(parameters, x, indices):
    """Return windows of `x`; windows out of bounds are moved inside, or filled with one value."""
    numbers, sizes = parameters["dimension_numbers"], parameters["slice_sizes"]
    paired = [*zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims, strict=True)]
    dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    windows = Windows(x.shape, indices, numbers.start_index_map, paired, sizes, dropped)
    if windows.cut:
        x = x[tuple([slice(windows.cut.get(axis)) for axis in range(x.ndim)])]
    placed = windows.placed
    if placed == [0] and not windows.short:
        values = np.asarray(x.take(windows.index_arrays[0], 0))  # an array, not a NumPy scalar
    else:
        values = x.transpose(placed + windows.whole)[tuple(windows.index_arrays)]
        if not placed:
            values = np.broadcast_to(values, windows.batch + values.shape).copy()
    if not windows.inside and parameters["mode"].name == "FILL_OR_DROP":
        values[~windows.valid] = _fill(x.dtype, parameters["fill_value"])
    order = _interleaved(values.ndim, numbers.offset_dims, windows.axes_of_windows())
    return values if order == sorted(order) else values.transpose(order)


def _fill(dtype, value):
    if value is not None:
        return value
    if dtype.kind == "b":
        return True
    if dtype.kind == "i":
        return np.iinfo(dtype).min
    return np.iinfo(dtype).max if dtype.kind == "u" else np.nan


def scatter(parameters, x, indices, updates):
    """Return `x` with windows replaced by `updates`; of several at one place, the last is kept."""
    return _scattered(parameters, x, indices, updates, None)


def scatter_with(ufunc):
    """Return the rule that combines the content of a window with the update."""

    def rule(parameters, x, indices, updates):
        return _scattered(parameters, x, indices, updates, ufunc)

    return rule


def refused(parameters, operands):
    """Return True if a scatter does not simply store the update."""
    update = parameters["update_jaxpr"]
    return update is not None and (update.eqns or update.outvars != update.invars[1:])


def _scattered(parameters, x, indices, updates, ufunc):
    numbers = parameters["dimension_numbers"]
    paired = [
        *zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims, strict=True)
    ]
    dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    lengths = iter([updates.shape[axis] for axis in numbers.update_window_dims])
    sizes = [1 if axis in dropped else next(lengths) for axis in range(x.ndim)]
    indexed = numbers.scatter_dims_to_operand_dims
    windows = Windows(x.shape, indices, indexed, paired, sizes, dropped)
    order = _interleaved(updates.ndim, numbers.update_window_dims, windows.axes_of_windows())
    updates = updates.transpose(np.argsort(order))
    index_arrays = windows.index_arrays
    if not windows.inside and parameters["mode"].name != "CLIP":
        spread = windows.batch + (1,) * len(windows.short)
        whole = [np.broadcast_to(p, np.broadcast_shapes(p.shape, spread)) for p in index_arrays]
        index_arrays, updates = [p[windows.valid] for p in whole], updates[windows.valid]
    axes = windows.placed + windows.whole
    turned = np.array(x.transpose(axes), order="C")  # a new array, so it may be written
    inner = tuple([slice(windows.cut.get(axis)) for axis in windows.whole])
    if not index_arrays:  # each window begins at the array's origin
        window = turned[(*inner, ...)]
        for update in updates.reshape(-1, *window.shape):
            window[...] = update if ufunc is None else ufunc(window, update)
    elif ufunc is None:
        turned[(*index_arrays, *inner)] = updates
    elif windows.cut:
        ufunc.at(turned, (*index_arrays, *inner), updates)
    else:
        _combine(ufunc, turned, len(index_arrays), index_arrays, updates)
    return turned.transpose(np.argsort(axes))


def _combine(ufunc, x, n_placed, index, updates):
    """Compute `x[index] = ufunc(x[index], updates)`, also for repeated places."""
    width = math.prod(x.shape[n_placed:])
    rows = np.ravel_multi_index(tuple(index), x.shape[:n_placed]).ravel()
    table = x.reshape(-1, width)
    updates = updates.reshape(rows.size, width)
    if not updates.size:
        return
    if width == 1:
        ufunc.at(table.reshape(-1), rows, updates.reshape(-1))
        return
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    firsts = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
    rows = rows[firsts]
    table[rows] = ufunc(table[rows], ufunc.reduceat(updates[order], firsts, axis=0))
