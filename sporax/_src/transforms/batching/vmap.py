"""`vmap`: vectorizes a function of one example over a batch."""

import functools
import operator
from collections.abc import Callable

from sporax._src.core.from_host import NUMBERS, plain
from sporax._src.core.signature_errors import fitting
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import flatten, itself, map_tensors, tensors_of, unflatten
from sporax._src.diagnosis.rules import message, rejection, require
from sporax._src.runtime.engine.recorder import wrap
from sporax._src.transforms.autodiff.lifted_function import LiftedFunction
from sporax._src.transforms.batching.stacked_cells import StackedCells


@fitting
def vmap(fn, in_axes=0, out_axes=0) -> Callable:
    """Vectorize `fn` over an axis of its arguments.

    `fn`: a function or Cell; it is recorded for one slice. For a CellList each slice has its own
    Cell; the Cells must have the same structure, and each keeps its own writes. `in_axes`: the axis
    to map over, an int for all arguments or a tuple with one entry per argument; None: not mapped.
    `out_axes`: the axis of the mapped dimension in the results, an int or a tuple; None: the result
    is the same for all slices. A container of Tensors takes one entry, or a tuple of entries.

    Keyword arguments, Parameters and other Tensors that `fn` refers to are not mapped, nor is the
    random state: every slice draws the same numbers. What `fn` writes to a slice of an argument is
    written to the argument; other values that it writes must be the same for all slices.

    >>> vmap(lambda x, y: (x * y).sum(), in_axes=(0, None))(ops.ones((2, 3)), ops.ones((3,)))
    Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00,  3.00000000e+00])
    """
    require(
        callable(fn), "must-be-type", "vmap", fn=fn, kind="a-function-or-cell", error=RuntimeError
    )
    for name, axes in ("in_axes", in_axes), ("out_axes", out_axes):
        _check_axes(name, axes)

    @functools.wraps(fn, updated=())
    def mapped(*args, **kwargs):
        return VectorizedFunction("vmap", fn, in_axes, out_axes)(args, kwargs)

    return mapped


def _check_axes(name, axes):
    if isinstance(axes, (tuple, list)):
        for item in axes:
            _check_axes(name, item)
    elif axes is not None and (not isinstance(axes, int) or isinstance(axes, bool)):
        raise rejection(
            "must-be-type",
            "vmap",
            argument=name,
            got=axes,
            kind="int-none-or-a-tuple",
            error=RuntimeError,
        )


class VectorizedFunction:
    """A function mapped over slices of its arguments; see `vmap`."""

    def __init__(self, who, fn, in_axes, out_axes):
        self.who, self.fn, self.in_axes, self.out_axes = who, fn, in_axes, out_axes
        self.of_cells = getattr(fn, "is_ensemble", False)

    def __call__(self, args, kwargs):
        tensors, treedef = flatten(args)
        axes = self._axes("in_axes", self.in_axes, args)
        sliced = [(t, axis) for t, axis in zip(tensors, axes, strict=True) if axis is not None]
        size = self._size(sliced, len(args))
        stacked_cells = StackedCells(self.who, self.fn) if self.of_cells else None
        stacked = [] if stacked_cells is None else stacked_cells.stacked
        values = [*stacked, *[t._lift() for t, _ in sliced]]
        result_treedef, changed = None, []

        def run(inputs):
            nonlocal result_treedef, changed
            slices = [(wrap(value), value) for value in inputs[len(stacked) :]]
            handles, pairs = iter(slices), zip(tensors, axes, strict=True)
            inside = unflatten(treedef, [t if a is None else next(handles)[0] for t, a in pairs])
            if stacked_cells is None:
                result = self.fn(*inside, **kwargs)
            else:
                with stacked_cells.lend(inputs[: len(stacked)]):
                    result = stacked_cells.cells[0](*inside, **kwargs)
            result = map_tensors(itself, result, _as_tensor)
            outs = self._axes("out_axes", self.out_axes, result)
            results, result_treedef = flatten(result)
            changed = _changed(sliced, slices)
            written = [] if stacked_cells is None else [v for _, v in stacked_cells.written]
            values = [*[t._lift() for t in results], *[v for *_, v in changed], *written]
            return values, [*outs, *[axis for _, axis, _ in changed], *[0] * len(written)]

        of_values = [0] * len(stacked) + [axis for _, axis in sliced]
        outputs = LiftedFunction(self.who, size)(run, values, of_values)
        if stacked_cells is not None and stacked_cells.written:
            count = len(outputs) - len(stacked_cells.written)
            stacked_cells.write(outputs[count:])
            outputs = outputs[:count]
        count = len(outputs) - len(changed)
        for (t, *_), value in zip(changed, outputs[count:], strict=True):
            t._rebind(value)
        return unflatten(result_treedef, map(wrap, outputs[:count]))

    def _size(self, sliced, n_args):
        """Return the number of slices."""
        sizes = {t.shape[axis] for t, axis in sliced}
        if self.of_cells:
            sizes.add(len(self.fn))
        require(sizes, "int-at-least-one-argument", self.who, in_axes=self.in_axes, n_args=n_args)
        if len(sizes) > 1:
            got = [message("size-of-axis", size=t.shape[axis], axis=axis, shape=t.shape)
                   for t, axis in sliced]  # fmt: skip
            got += [message("number-of-cells", count=len(self.fn))] if self.of_cells else []
            raise rejection("sliced-axes-one-size", self.who, got=got)
        return sizes.pop()

    def _axes(self, name, axes, obj):
        """Return the nonnegative axis, or None, of each Tensor in `obj`; results gain a
        dimension."""
        if isinstance(obj, Tensor):
            if isinstance(axes, (tuple, list)) and len(axes) == 1:
                axes = axes[0]
            ndim = obj.ndim + (name == "out_axes")
            if axes is None:
                return [None]
            if isinstance(axes, int) and -ndim <= axes < ndim:
                return [operator.index(axes) % ndim]  # a `Scalar` becomes concrete
            fields = {"argument": name, "got": axes, "ndim": ndim, "shape": obj.shape}
            raise rejection("axis-of-shape", self.who, **fields)
        if isinstance(obj, dict):
            obj = list(obj.values())
        if isinstance(obj, (tuple, list)):
            each = axes if isinstance(axes, (tuple, list)) else [axes] * len(obj)
            n = len(obj)
            require(len(each) == n, "tuple-of-entries", self.who, argument=name, n=n, got=axes)
            axes_of_items = [self._axes(name, a, item) for a, item in zip(each, obj, strict=True)]
            return [axis for axes in axes_of_items for axis in axes]
        fits = axes is None or name != "in_axes" or tensors_of(obj)
        require(fits, "none-for-no-tensor", self.who, argument=name, value=obj, got=axes)
        return [axis for t in tensors_of(obj) for axis in self._axes(name, axes, t)]


def _changed(sliced, slices):
    """Return the arguments whose slices were written to, as [(Tensor, axis, Value of a slice)]."""
    pairs = zip(sliced, slices, strict=True)
    return [(t, axis, s._value) for (t, axis), (s, value) in pairs if s._value is not value]


def _as_tensor(item):
    item = plain(item)
    return Tensor(item) if isinstance(item, NUMBERS) else item
