"""What turns one value of a row into another: callables on arrays, for `map`."""

import numpy as np

from sporax.core import dtype as dtypes
from sporax.core.errors import missing


class Compose:
    """Several transforms, one after another.

    >>> Compose([lambda x: x + 1, lambda x: x * 2])(3)
    8
    """

    def __init__(self, transforms):
        if not isinstance(transforms, list):
            raise TypeError(
                f"For 'Compose', 'transforms' must be a list, but got {type(transforms).__name__}."
            )
        if not transforms:
            raise ValueError("For 'Compose', 'transforms' must hold at least one.")
        for i, transform in enumerate(transforms):
            if not callable(transform):
                raise TypeError(
                    f"For 'Compose', 'transforms[{i}]' must be callable, but got "
                    f"{type(transform).__name__}."
                )
        self.transforms = transforms

    def __call__(self, *values):
        for transform in self.transforms:
            values = transform(*values)
            if not isinstance(values, tuple):
                values = (values,)
        return values[0] if len(values) == 1 else values


class TypeCast:
    """The same numbers in another dtype (MindSpore's, or NumPy's).

    >>> TypeCast(ms.int32)(np.array([1.7]))
    array([1], dtype=int32)
    """

    def __init__(self, output_type):
        if isinstance(output_type, dtypes.Type):
            output_type = dtypes.to_numpy(output_type)
        elif not isinstance(output_type, (type, str, np.dtype)):
            raise TypeError(
                "For 'TypeCast', 'output_type' must be a dtype of MindSpore or NumPy, but got "
                f"{type(output_type).__name__}."
            )
        self.output_type = np.dtype(output_type)

    def __call__(self, value):
        return np.asarray(value).astype(self.output_type)


class OneHot:
    r"""Class numbers as vectors that are 1 at the class and 0 elsewhere, of the same dtype.

    `smoothing_rate` $s$: $1 - s + s / n$ and $s / n$ instead, Float32, with $n$ = `num_classes`.

    >>> OneHot(3)(np.array(1))
    array([0, 1, 0])
    """

    def __init__(self, num_classes, smoothing_rate=0.0):
        if not isinstance(num_classes, int) or isinstance(num_classes, bool):
            raise TypeError(f"For 'OneHot', 'num_classes' must be an int, but got {num_classes!r}.")
        if num_classes < 1:
            raise ValueError(
                f"For 'OneHot', 'num_classes' must be greater than 0, but got {num_classes}."
            )
        if not 0 <= smoothing_rate <= 1:
            raise ValueError(
                f"For 'OneHot', 'smoothing_rate' must be in [0, 1], but got {smoothing_rate}."
            )
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def __call__(self, value):
        label = np.asarray(value)
        if label.size and not 0 <= label.min() <= label.max() < self.num_classes:
            raise RuntimeError(
                f"For 'OneHot', the labels must be in [0, {self.num_classes}), but got {label}."
            )
        hot = label[..., None] == np.arange(self.num_classes)
        if not self.smoothing_rate:
            return hot.astype(label.dtype)
        rate = self.smoothing_rate
        return (hot * (1 - rate) + rate / self.num_classes).astype(np.float32)


class PadEnd:
    """An array brought to `pad_shape`: filled up with `pad_value` (0 by default), or cut off, at
    the end of each axis; None leaves an axis as it is.

    >>> PadEnd([4], 9)(np.array([1, 2]))
    array([1, 2, 9, 9])
    """

    def __init__(self, pad_shape, pad_value=None):
        self.pad_shape, self.pad_value = list(pad_shape), 0 if pad_value is None else pad_value

    def __call__(self, value):
        array = np.asarray(value)
        if array.ndim != len(self.pad_shape):
            raise RuntimeError(
                f"For 'PadEnd', the array must have {len(self.pad_shape)} axes as 'pad_shape' has, "
                f"but got shape {array.shape}."
            )
        sizes = [n if p is None else p for p, n in zip(self.pad_shape, array.shape, strict=True)]
        array = array[tuple([slice(size) for size in sizes])]
        widths = [(0, size - n) for size, n in zip(sizes, array.shape, strict=True)]
        return np.pad(array, widths, constant_values=self.pad_value)


class Fill:
    """An array of the same shape and dtype that holds `fill_value` everywhere.

    >>> Fill(7)(np.array([1, 2]))
    array([7, 7])
    """

    def __init__(self, fill_value):
        self.fill_value = fill_value

    def __call__(self, value):
        return np.full_like(value, self.fill_value)


class Concatenate:
    """The array along `axis` after `prepend` and before `append`.

    >>> Concatenate(0, np.array([9]), np.array([8]))(np.array([1, 2]))
    array([9, 1, 2, 8])
    """

    def __init__(self, axis=0, prepend=None, append=None):
        self.axis, self.prepend, self.append = axis, prepend, append

    def __call__(self, *values):
        parts = [p for p in (self.prepend, *values, self.append) if p is not None]
        return np.concatenate(parts, self.axis)


class Duplicate:
    """The value twice: two columns of one.

    >>> Duplicate()(5)
    (5, 5)
    """

    def __call__(self, value):
        return value, value


__all__ = ["Compose", "Concatenate", "Duplicate", "Fill", "OneHot", "PadEnd", "TypeCast"]


def __getattr__(name):
    raise missing("dataset.transforms", name)
