"""`ServedGraph`: an exported graph as a function of NumPy arrays by name, with checked inputs."""

from typing import Any

import numpy as np

from sporax._src.capture.graph_capture.export.exported_graph import rebuilt, structure
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.rules import message
from sporax._src.workbench.serving.rejected import rejected
from sporax.io.export import load
from sporax.io.portable_program import DTYPES

_TRIED = 4  # rows of the test whether rows are independent
_KINDS = {"b": "b", "i": "iu", "u": "iu", "f": "iuf", "c": "iufc"}  # kinds of dtype that convert
_ROUNDING = 1e-2  # by which programs for other sizes may differ, of the largest result


class ServedGraph:
    """The function in a file of `export`. Raises ValueError for a file that `load` rejects.

    `batch`: the name of the dynamic size that is axis 0 of all inputs and outputs, if there is one;
    `why_single`: otherwise, why requests cannot share a run.
    """

    def __init__(self, path):
        self.graph = load(path)
        self.inputs, self.outputs = self.graph.inputs, self.graph.outputs
        first = {spec.shape[0] if spec.shape else 0 for spec in (*self.inputs, *self.outputs)}
        (size,) = first if len(first) == 1 else (0,)
        self.batch = size if isinstance(size, str) else None
        self.why_single = None if self.batch else message("serve-no-batch")

    def prepare(self, most_rows):
        """Compile the programs for batches of up to `most_rows` rows. Clear `batch` unless each row
        has the result that it has alone: requests that share a run must not influence each other.
        """
        if self.batch is not None:
            self._try_rows()
        for rows in batch_sizes(most_rows if self.batch is not None else 1):
            self(self._tried(rows))

    def _try_rows(self):
        whole = self._tried(_TRIED)
        together = self(whole)
        alone = [self([x[i : i + 1] for x in whole]) for i in range(_TRIED)]
        for k, array in enumerate(together):
            expected = np.concatenate([arrays[k] for arrays in alone])
            kind = np.complex128 if array.dtype.kind == "c" else float
            wide = array.astype(kind), expected.astype(kind)
            finite = np.abs(wide[1][np.isfinite(wide[1])])
            allowed = _ROUNDING * max(1e-6, float(finite.max(initial=0)))
            if not np.allclose(*wide, rtol=0, atol=allowed, equal_nan=True):
                self.batch = None
                self.why_single = message("serve-rows-influence", name=self.outputs[k].name)
                return

    def _tried(self, size):
        """Return random inputs whose unknown sizes are `size`; integers are 0 or 1."""
        random, arrays = np.random.default_rng(0), []
        for spec in self.inputs:
            shape = [n if isinstance(n, int) else size for n in spec.shape]
            dtype = DTYPES[spec.dtype]
            is_integer = dtype.kind in "biu"
            array = random.integers(0, 2, shape) if is_integer else random.normal(size=shape)
            arrays.append(array.astype(dtype))
        return arrays

    def __call__(self, arrays):
        """Return the outputs for the inputs, lists of arrays in the order of the `Spec`s."""
        given = iter(arrays)
        arguments: Any = rebuilt(self.graph.arguments, lambda: Tensor(next(given)))
        results = []
        structure("serve", self.graph(*arguments), results)
        return [tensor.asnumpy() for tensor in results]

    def taken(self, values):
        """Return the inputs as arrays in their order, given {name: array or nested lists}. Raises
        `Rejected`."""
        names = [spec.name for spec in self.inputs]
        if not isinstance(values, dict) or values.keys() != {*names}:
            got = sorted(map(str, values)) if isinstance(values, dict) else [type(values).__name__]
            raise rejected(422, "serve-inputs", names=names, got=got[:20])
        arrays = [_array(spec, values[spec.name]) for spec in self.inputs]
        sizes = {}
        for spec, array in zip(self.inputs, arrays, strict=True):
            fits = array.ndim == len(spec.shape)
            for expected, size in zip(spec.shape, array.shape, strict=False):
                fits = fits and size == (
                    sizes.setdefault(expected, size) if isinstance(expected, str) else expected
                )
            if not fits or 0 in array.shape:
                raise _misfit(spec, f"{array.dtype} {array.shape}")
        return arrays


def batch_sizes(most_rows):
    """Return the numbers of rows that programs are compiled for: powers of 2, and `most_rows`."""
    sizes = [1]
    while sizes[-1] < most_rows:
        sizes.append(min(2 * sizes[-1], most_rows))
    return sizes


def _array(spec, value):
    """Return a value as an array of the input's dtype; only conversions that keep it are done."""
    dtype = DTYPES[spec.dtype]
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError):  # ragged or too deep lists
        raise _misfit(spec, message("serve-ragged")) from None
    if array.dtype == dtype:
        return array
    kinds = _KINDS.get(dtype.kind, "iuf")  # bfloat16 and float8 have a kind of their own
    if array.dtype.kind not in kinds:
        raise _misfit(spec, array.dtype)
    if dtype.kind in "iu" and array.size:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise _misfit(spec, message("serve-out-of-range"))
    with np.errstate(over="ignore"):
        return array.astype(dtype)


def _misfit(spec, got):
    return rejected(
        422, "serve-array", name=spec.name, dtype=spec.dtype, shape=spec.shape_text, got=str(got)
    )
