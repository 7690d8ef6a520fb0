"""Text of a tensor: `str` as NumPy formats an array, `repr` in MindSpore's format."""

import ml_dtypes
import numpy as np

_EDGE = 3  # items kept at each end of a summarized dimension
# the most items shown without summarizing: of a dimension, of a 1-d tensor
_ROW, _LINE = 6, 1000

# NumPy kind -> (format of an item, its width (None: the width of the widest), items per line).
# Bfloat16 and float8_e4m3fn have kind 'V'; float8_e5m2 is formatted like them.
_FORMATS = {
    "b": (str, 5, 12),
    "i": (str, None, 24),
    "u": (str, None, 24),
    "V": ("{:g}".format, None, 24),
    "c": (lambda z: f"{z.real:g}{z.imag:+g}j", 0, 24),
}
_FLOATS = {2: ("{:.4e}".format, 11, 12), 4: ("{:.8e}".format, 15, 12), 8: ("{:.8e}".format, 15, 12)}


def text(array):
    """A tensor's `str`."""
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        return np.array2string(array.astype(np.float32), formatter={"all": "{:f}".format})
    is_float = array.dtype.kind == "f" and array.dtype.itemsize > 1
    return _scalar(array[()]) if array.ndim == 0 and is_float else str(array)


def _scalar(x):
    """Format a float with the fewest digits that identify it.

    NumPy 2 switches to exponents earlier for Float32; this keeps the behaviour of NumPy 1.
    """
    if np.isfinite(x) and (x == 0 or 1e-4 <= abs(float(x)) < 1e16):
        return np.format_float_positional(x, unique=True, trim="0")
    return np.format_float_scientific(x, unique=True, trim="-")


def representation(shape, dtype, array):
    """A tensor's `repr`: its shape, dtype and elements."""
    gap = " " if array.ndim < 2 else "\n"
    return f"Tensor(shape={list(shape)}, dtype={dtype}, value={gap}{_numbers(array)})"


def _numbers(array):
    if array.size == 0:
        return ""
    kind = "V" if array.dtype == ml_dtypes.float8_e5m2 else array.dtype.kind
    write, width, per_line = _FLOATS[array.dtype.itemsize] if kind == "f" else _FORMATS[kind]
    if array.ndim == 0:
        return (write if kind in "biuc" else "{:g}".format)(array.item())
    limit = _LINE if array.ndim == 1 else _ROW
    if width is None:
        shown = array[np.ix_(*[_shown(n, limit) for n in array.shape])]
        width = max(len(write(x)) for x in shown.ravel().tolist())
    if array.ndim == 1 and array.size <= limit:
        return _lines([write(x).rjust(width) for x in array.tolist()], per_line)
    return _nested(array, lambda x: write(x).rjust(width), 1)


def _shown(n, limit):
    return list(range(n)) if n <= limit else [*range(_EDGE), *range(n - _EDGE, n)]


def _lines(items, per_line):
    """Format the items of a 1-d tensor; a full line ends in a line break."""
    last, pieces = len(items) - 1, []
    for i, item in enumerate(items):
        pieces.append(
            item + (", " if i < last else "") + ("\n " if (i + 1) % per_line == 0 else "")
        )
    return f"[{''.join(pieces)}]"


def _nested(array, write, depth):
    def inner(rows):
        if array.ndim == 1:
            return [write(x) for x in rows.tolist()]
        return [_nested(row, write, depth + 1) for row in rows]

    indent = "\n" + " " * depth
    is_row = array.ndim == 1
    separator, skip = (", ", " ... ") if is_row else (f",{indent}", f",{indent}...{indent}")
    if len(array) <= _ROW:
        return f"[{separator.join(inner(array))}]"
    head, tail = separator.join(inner(array[:_EDGE])), separator.join(inner(array[-_EDGE:]))
    return f"[{head}{skip}{tail}]"
