"""Going over a dataset's rows, epoch after epoch."""

import numpy as np

from sporax.core.tensor import FACTORIES, Tensor, new_value
from sporax.data import random_streams


def _array(value):
    """A column's value as an array; values of other types (in a user's dict) unchanged."""
    value = value.asnumpy() if isinstance(value, Tensor) else value
    array = np.asarray(value)
    return value if array.dtype == object else array


def _tensor(value):
    """A column's value as a Tensor, except text."""
    array = _array(value)
    is_number = isinstance(array, np.ndarray) and array.dtype.kind not in "SU"
    return FACTORIES.get("batch", Tensor)(array) if is_number else array  # placed on a Mesh


def _own_tensor(value):
    """As `_tensor`, of an array that nobody else holds."""
    if value.__class__ is not np.ndarray or value.dtype.kind not in "biuf" or "batch" in FACTORIES:
        return _converted(_tensor, value)
    tensor = object.__new__(Tensor)
    tensor._value = new_value(value, None, is_owned=True)
    return tensor


def _converted(convert, value):
    if isinstance(value, dict):
        return {key: _converted(convert, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_converted(convert, item) for item in value])
    return convert(value)


class Iterator:
    """Rows of one epoch; when they have ended, going on gives those of the next.

    `num_epochs`: how many there are, -1 for no end; to ask for one more is a RuntimeError.
    """

    def __init__(self, dataset, num_epochs, output_numpy):
        if num_epochs != -1 and (not isinstance(num_epochs, int) or num_epochs < 1):
            raise RuntimeError(
                "For an iterator of a dataset, 'num_epochs' must be -1 or a positive int, but got "
                f"{num_epochs!r}."
            )
        self._convert = _array if output_numpy else _own_tensor if dataset.is_fresh else _tensor
        self.dataset, self._left = dataset, num_epochs
        columns = dataset.get_col_names()  # those of metadata are seen under another name only
        self._places = [i for i, name in enumerate(columns) if not name.startswith("_meta-")]
        self._columns = [columns[i] for i in self._places]
        self._epoch, self._rows = dataset._begin(), None

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            if self._left == 0:
                raise RuntimeError(
                    "For an iterator of a dataset, its 'num_epochs' have been gone through. Make "
                    "another iterator, or one with more epochs."
                )
            self._left -= self._left > 0
            self._rows = self._epoch()
        try:
            row = next(self._rows)
        except StopIteration:
            self._rows = None
            raise
        if self._convert is _own_tensor:
            return self._made([_own_tensor(row[i]) for i in self._places])
        return self._made([_converted(self._convert, row[i]) for i in self._places])

    def _made(self, row):
        raise NotImplementedError

    def get_next(self):
        """The next row."""
        return next(self)


class TupleIterator(Iterator):
    """Each row a list."""

    def _made(self, row):
        return row


class DictIterator(Iterator):
    """Each row a dict."""

    def _made(self, row):
        return dict(zip(self._columns, row, strict=True))


class ResumableEpochs:
    """Any epoch of a dataset, from any row on.

    Each epoch is a pipeline of its own, whose seed depends on `seed` and the epoch's number only:
    to go on in its middle, nothing of the epochs before is read.
    """

    def __init__(self, dataset):
        self._dataset, self.seed = dataset, random_streams.seed()

    def rows(self, epoch, first):
        """The rows of that epoch, without the first `first` ones."""
        seed = int(np.random.SeedSequence((self.seed, epoch)).generate_state(1)[0])
        with random_streams.fixed(seed, epoch):
            return _Rest(self._dataset, first)


class _Rest(TupleIterator):
    """Rows of one epoch from some row on."""

    def __init__(self, dataset, first):
        super().__init__(dataset, 1, False)
        rows = dataset._rows_from(first)
        self._epoch = lambda: rows
