"""Transforms of the values of a row: callables on arrays, for `map`."""

import enum
import operator

import numpy as np

from sporax._src.core import dtype as dtypes
from sporax._src.core.errors import missing
from sporax._src.diagnosis.argument_kinds import FUNCTION, LIST, POSITIVE_INT, member_of
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import argument_checks as check
from sporax.data import random_streams
from sporax.data.operation import PyTensorOperation, TensorOperation


class Compose(TensorOperation):
    """Applies several transforms in sequence.

    >>> Compose([lambda x: x + 1, lambda x: x * 2])(3)
    8
    """

    def __init__(self, transforms):
        self.transforms = checked_transforms("Compose", transforms)

    def __call__(self, *values):
        return _through(self.transforms, values)


class RandomApply(TensorOperation):
    """Applies several transforms in sequence, with probability `prob`.

    >>> RandomApply([lambda x: x + 1], 1.0)(3)
    4
    """

    def __init__(self, transforms, prob=0.5):
        self.transforms = checked_transforms("RandomApply", transforms)
        self.prob = check.SHARE.checked("RandomApply", "prob", prob)

    def __call__(self, *values):
        chosen = random_streams.stream().random() < self.prob
        return _through(self.transforms if chosen else [], values)


class RandomChoice(TensorOperation):
    """Applies one of several transforms, chosen at random.

    >>> RandomChoice([lambda x: x + 1, lambda x: 1 + x])(3)
    4
    """

    def __init__(self, transforms):
        self.transforms = checked_transforms("RandomChoice", transforms)

    def __call__(self, *values):
        chosen = int(random_streams.stream().integers(len(self.transforms)))
        return _through([self.transforms[chosen]], values)


class RandomOrder(PyTensorOperation):
    """Applies several transforms in a random order.

    >>> int(RandomOrder([lambda x: x + 1, lambda x: x + 2])(4))
    7
    """

    def __init__(self, transforms):
        self.transforms = checked_transforms("RandomOrder", transforms)

    def __call__(self, *values):
        order = random_streams.stream().permutation(len(self.transforms))
        return _through([self.transforms[i] for i in order], values)


def checked_transforms(who, transforms):
    """Check that `transforms` is a non-empty list of callables."""
    LIST(who, transforms=transforms)
    require(transforms, "hold-at-least-one", who, argument="transforms")
    for i, transform in enumerate(transforms):
        FUNCTION.checked(who, f"transforms[{i}]", transform)
    return transforms


def _through(transforms, values):
    for transform in transforms:
        values = transform(*values)
        if not isinstance(values, tuple):
            values = (values,)
    return values[0] if len(values) == 1 else values


def not_random(function):
    """Mark a function as deterministic, and return it.

    >>> not_random(lambda x: x + 1)(2)
    3
    """
    function.random = False
    return function


class TypeCast(TensorOperation):
    """Converts to another dtype (MindSpore's, or NumPy's).

    >>> TypeCast(ms.int32)(np.array([1.7]))
    array([1], dtype=int32)
    """

    def __init__(self, output_type):
        if isinstance(output_type, dtypes.Type):
            output_type = dtypes.to_numpy(output_type)
        elif not isinstance(output_type, (type, str, np.dtype)):
            raise rejection("dtype-mindspore-numpy", "TypeCast", output_type=output_type)
        self.output_type = np.dtype(output_type)

    def __call__(self, value):
        return np.asarray(value).astype(self.output_type)


class OneHot(TensorOperation):
    r"""Converts class indices to one-hot vectors of the same dtype.

    `smoothing_rate` $s$: use $1 - s + s / n$ and $s / n$, Float32, with $n$ = `num_classes`.

    >>> OneHot(3)(np.array(1))
    array([0, 1, 0])
    """

    def __init__(self, num_classes, smoothing_rate=0.0):
        POSITIVE_INT("OneHot", num_classes=num_classes)
        fits = 0 <= smoothing_rate <= 1
        require(fits, "in-interval", "OneHot", smoothing_rate=smoothing_rate, interval="[0, 1]")
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def __call__(self, value):
        label = np.asarray(value)
        fits = not label.size or 0 <= label.min() <= label.max() < self.num_classes
        require(fits, "labels-below", "OneHot", n=self.num_classes, got=label)
        hot = label.reshape(-1, 1) == np.arange(self.num_classes)
        hot = hot[0] if label.size == 1 else hot
        if not self.smoothing_rate:
            return hot.astype(label.dtype)
        rate = self.smoothing_rate
        return (hot * (1 - rate) + rate / self.num_classes).astype(np.float32)


class PadEnd(TensorOperation):
    """Pads an array to `pad_shape` with `pad_value` (0 by default), or truncates it, at the end of
    each axis; None leaves an axis unchanged.

    >>> PadEnd([4], 9)(np.array([1, 2]))
    array([1, 2, 9, 9])
    """

    def __init__(self, pad_shape, pad_value=None):
        self.pad_shape, self.pad_value = list(pad_shape), 0 if pad_value is None else pad_value

    def __call__(self, value):
        array = np.asarray(value)
        n, shape = len(self.pad_shape), array.shape
        require(array.ndim == n, "axes-of-pad-shape", "PadEnd", n=n, shape=shape)
        sizes = [n if p is None else p for p, n in zip(self.pad_shape, array.shape, strict=True)]
        array = array[tuple([slice(size) for size in sizes])]
        widths = [(0, size - n) for size, n in zip(sizes, array.shape, strict=True)]
        return np.pad(array, widths, constant_values=self.pad_value)


class Fill(TensorOperation):
    """Returns an array of the same shape and dtype, filled with `fill_value`.

    >>> Fill(7)(np.array([1, 2]))
    array([7, 7])
    >>> Fill(-3)(np.array([1, 2], np.uint8))
    array([253, 253], dtype=uint8)
    """

    def __init__(self, fill_value):
        self.fill_value = fill_value

    def __call__(self, value):
        if value.dtype.kind in "iu" and np.ndim(self.fill_value) == 0:
            fill = np.array(self.fill_value).astype(value.dtype)  # modulo its range, as in C
            return np.full_like(value, fill)
        return np.full_like(value, self.fill_value)


class Concatenate(TensorOperation):
    """Concatenates `prepend`, the array and `append` along `axis`.

    >>> Concatenate(0, np.array([9]), np.array([8]))(np.array([1, 2]))
    array([9, 1, 2, 8])
    """

    def __init__(self, axis=0, prepend=None, append=None):
        self.axis, self.prepend, self.append = axis, prepend, append

    def __call__(self, *values):
        arrays = [p for p in (self.prepend, *values, self.append) if p is not None]
        return np.concatenate(arrays, self.axis)


class Duplicate(TensorOperation):
    """Returns the value twice, as two columns.

    >>> Duplicate()(5)
    (5, 5)
    """

    def __call__(self, value):
        return value, value


class Relational(enum.IntEnum):
    """Comparison operators of `Mask`.

    >>> Relational.EQ.name
    'EQ'
    """

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARED = {
    Relational.EQ: operator.eq, Relational.NE: operator.ne, Relational.GT: operator.gt,
    Relational.GE: operator.ge, Relational.LT: operator.lt, Relational.LE: operator.le,
}  # fmt: skip


class Mask(TensorOperation):
    """Compares an array elementwise with `constant`; the result has type `dtype`.

    >>> Mask(Relational.GT, 1)(np.array([1, 2]))
    array([False,  True])
    """

    def __init__(self, operator, constant, dtype=dtypes.bool_):
        self.operator = member_of(Relational).checked("Mask", "operator", operator)
        self.constant, self._cast = constant, TypeCast(dtype)

    def __call__(self, value):
        return self._cast(_COMPARED[self.operator](np.asarray(value), self.constant))


class Slice(TensorOperation):
    """Selects parts along the first axes: an int or a list of ints for positions, a slice, None or
    ... for all. All axes are kept.

    >>> Slice(0, [0, 2])(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 3]])
    """

    def __init__(self, *slices):
        for item in slices:
            fits = isinstance(item, (int, list, slice, type(None), type(...)))
            require(fits, "ints-lists-them-slices", "Slice", slices=item)
        self.slices = slices

    def __call__(self, value):
        array = np.asarray(value)
        count = len([item for item in self.slices if item is not ...])
        n, shape = len(self.slices), array.shape
        fits = count <= array.ndim and (... not in self.slices or n <= array.ndim)
        require(fits, "axis-for-each-slice", "Slice", n=n, shape=shape)
        for axis, item in enumerate(self.slices):
            if item is None or item is ...:
                continue
            try:
                indices = np.arange(array.shape[axis])[item]
            except IndexError as error:
                fields = {"shape": shape, "got": item, "cause": error}
                raise rejection("slices-within-shape", "Slice", **fields) from None
            array = np.take(array, np.atleast_1d(indices), axis)
        return array


class Unique(TensorOperation):
    """Returns the unique elements of an array by first occurrence, the index of each element among
    them, and their counts.

    >>> [a.tolist() for a in Unique()(np.array([3, 1, 3]))]
    [[3, 1], [0, 1, 0], [2, 1]]
    """

    def __call__(self, value):
        flat = np.ravel(value)
        _, first, inverse, counts = np.unique(flat, True, True, True)
        order = np.argsort(first)  # by first occurrence
        rank = np.argsort(order)
        results = rank[inverse].astype(np.int32), counts[order].astype(np.int32)
        return flat[first[order]], *results


__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "RandomApply",
    "RandomChoice", "RandomOrder", "Relational", "Slice", "TypeCast", "Unique", "not_random",
]  # fmt: skip


def __getattr__(name):
    raise missing("dataset.transforms", name)
