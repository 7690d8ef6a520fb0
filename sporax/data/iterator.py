"""Iterators over a dataset's rows, epoch after epoch."""

import functools

import numpy as np

from sporax._src.core.hooks import hooks
from sporax._src.core.jax_internals import device_array
from sporax._src.core.tensor import Tensor, concrete, new_value
from sporax._src.core.value import thread
from sporax._src.diagnosis.rules import require
from sporax.data import device_prefetch, random_streams
from sporax.data.constructor_calls import arguments


def _array(value):
    """Return a column's value as an array; other values (in a user's dict) are unchanged."""
    value = value.asnumpy() if isinstance(value, Tensor) else value
    array = np.asarray(value)
    return value if array.dtype == object else array


def _tensor(value, shards=1):
    """Return a column's value as a Tensor; text stays an array."""
    array = _array(value)
    if not isinstance(array, np.ndarray) or array.dtype.kind in "SU":
        return array
    return Tensor(array) if hooks.batch is None else hooks.batch(array, shards)


# dtypes of arrays that are transferred to the device unchanged
_NATIVE = frozenset(map(np.dtype, ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d"]))


def _own_tensor(value, shards=1):
    """Return `_tensor(value)` for an array without other references."""
    if value.__class__ is not np.ndarray or value.dtype not in _NATIVE or hooks.batch is not None:
        return _converted(functools.partial(_tensor, shards=shards), value)
    if thread.recorder.tracer is None:
        return concrete(device_array(value))
    tensor = object.__new__(Tensor)
    tensor._value = new_value(value, None, is_owned=True)
    return tensor


def _converted_row(convert, indices, row):
    return [_converted(convert, row[i]) for i in indices]


def _own_tensors(indices, shards, row):
    return [_own_tensor(row[i], shards) for i in indices]


def _converted(convert, value):
    if isinstance(value, dict):
        return {key: _converted(convert, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_converted(convert, item) for item in value])
    return convert(value)


def _converted_rows(rows, convert):
    return map(convert, rows)


def _shards(dataset):
    """Return the number of shards of which the dataset reads one."""
    sampler = getattr(dataset, "sampler", None)
    own = arguments(dataset).get("num_shards") or getattr(sampler, "num_shards", 1)
    return max([own, *map(_shards, dataset.children)])


class Iterator:
    """Iterator over the rows of an epoch; after its end, iteration continues with the next epoch.

    `num_epochs`: the number of epochs, -1 for no limit; a further one raises RuntimeError.
    """

    def __init__(self, dataset, num_epochs, output_numpy):
        fits = num_epochs == -1 or (isinstance(num_epochs, int) and num_epochs >= 1)
        require(fits, "epochs", type(self).__name__, num_epochs=num_epochs)
        self.dataset, self._left = dataset, num_epochs
        columns = dataset.get_col_names()  # metadata columns are visible only under another name
        indices = [i for i, name in enumerate(columns) if not name.startswith("_meta-")]
        self._columns = [columns[i] for i in indices]
        shards = _shards(dataset)
        if dataset.is_fresh and not output_numpy:
            self._convert = functools.partial(_own_tensors, indices, shards)
        else:
            convert = _array if output_numpy else functools.partial(_tensor, shards=shards)
            self._convert = functools.partial(_converted_row, convert, indices)
        self._is_ahead = not output_numpy and device_prefetch.is_needed() and bool(dataset._stage())
        self._epoch, self._rows = dataset._begin(), None

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            require(self._left != 0, "epochs-gone-through", type(self).__name__)
            self._left -= self._left > 0
            ahead = device_prefetch.rows_ahead if self._is_ahead else _converted_rows
            self._rows = ahead(self._epoch(), self._convert)
        try:
            return self._made(next(self._rows))
        except StopIteration:
            self._rows = None
            raise

    def _made(self, row):
        raise NotImplementedError

    def get_next(self):
        """Return the next row."""
        return next(self)

    def stop(self):
        """End the iteration and its prefetching before the iterator is collected."""
        rows, self._rows, self._left = self._rows, None, 0
        close = getattr(rows, "close", None)
        if close is not None:
            close()


class TupleIterator(Iterator):
    """Iterator that yields each row as a list."""

    def _made(self, row):
        return row


class DictIterator(Iterator):
    """Iterator that yields each row as a dict."""

    def _made(self, row):
        return dict(zip(self._columns, row, strict=True))


class ResumableEpochs:
    """Epochs of a dataset that can begin at any row.

    Each epoch is a separate pipeline, whose seed depends on `seed` and the epoch's number only:
    resuming within an epoch reads nothing of the epochs before.
    """

    def __init__(self, dataset):
        self._dataset, self.seed = dataset, random_streams.seed()

    def rows(self, epoch, first):
        """Return the rows of `epoch`, without the first `first` ones."""
        seed = int(np.random.SeedSequence((self.seed, epoch)).generate_state(1)[0])
        with random_streams.fixed(seed, epoch):
            return _Rest(self._dataset, first)


class _Rest(TupleIterator):
    """The rows of one epoch, from row `first` on."""

    def __init__(self, dataset, first):
        super().__init__(dataset, 1, False)
        rows = dataset._rows_from(first)
        self._epoch = lambda: rows
