"""`Dataset`: rows produced lazily, and the operations on them.

A dataset is a node that knows its columns and its input datasets. `_begin()` starts a pipeline: it
returns a function, each call of which returns an iterator over the rows (tuples of arrays) of the
next epoch. Nothing is read before. If the work per row is known, `_stage()` describes it, so that
workers can do it (`data.workers`).
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sporax._src.core.errors import missing
from sporax._src.core.from_host import plain
from sporax._src.core.signature_errors import Fitting
from sporax._src.core.tensor import Tensor
from sporax._src.diagnosis.argument_kinds import INT, within
from sporax._src.diagnosis.rules import rejection, require
from sporax.data import workers
from sporax.data.argument_checks import MOST
from sporax.data.constructor_calls import RecordsCall, arguments
from sporax.data.iterator import DictIterator, ResumableEpochs, TupleIterator


class Dataset(RecordsCall, Fitting, accept=None):
    """Base of all datasets.

    >>> from sporax.data import NumpySlicesDataset
    >>> numbers = NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
    >>> [row.tolist() for row, in numbers.batch(2).create_tuple_iterator(output_numpy=True)]
    [[1, 2], [3]]
    """

    def __init__(self, columns, *children):
        self._columns, self.children = list(columns), list(children)
        self.parent = []
        for child in children:
            child.parent.append(self)

    _children = ()  # constructor parameters that hold the input datasets

    def _parameters(self):
        """Return {parameter: argument} of the constructor, without the input datasets."""
        given = arguments(self)
        return {name: given[name] for name in given if name not in self._children}

    @functools.cached_property
    def _workers(self):
        """The `Workers` that the arguments request, or None."""
        return workers.requested(type(self).__name__, arguments(self))

    def _stage(self):
        """Return a `workers.Stage` of the rows, or None if only `_begin` produces them."""

    _gathered: Any = None  # see `GeneratorDataset`

    is_fresh = False  # True if its rows' arrays have no other references

    zip: Callable[..., Any]  # set by `concat_zip`, as `split`
    split: Callable[..., Any]
    sync_update: Callable[..., Any]  # set by `sync_wait`

    def _begin(self) -> Callable[[], Iterator[Any]]:
        stage = self._stage()
        if stage is None:
            raise rejection("rows-come-dataset-mindspore", type(self).__name__)
        return stage.epochs()

    def _rows_from(self, first):
        """Return the rows of the first epoch of a new pipeline from row `first` on; a subclass that
        need not read the rows before overrides it."""
        stage = self._stage()
        if stage is not None:
            return stage.epochs(first)()
        rows = self._begin()()
        for _ in itertools.islice(rows, first):
            pass
        return rows

    def _resumable(self):
        """Return epochs that can begin at any row, for `train.Checkpointer`."""
        return ResumableEpochs(self)

    def __getattr__(self, name) -> Any:
        require(not name.startswith("_"), "object-no-attribute", object=self, name=name)
        raise missing("dataset.Dataset", name)

    is_in_place = False  # True if the rows come from an indexed source, in its order

    # properties ----------------------------------------------------------------------------

    def to_json(self, filename=""):
        """Return the pipeline as a JSON-compatible dict, and write it to `filename` if given:
        `serialize`."""
        from sporax.data.serialization import to_json  # imports all dataset classes

        return to_json(self, filename)

    def get_col_names(self):
        """Return the column names."""
        return list(self._columns)

    def get_dataset_size(self):
        """Return the number of rows (batches) of an epoch, iterating over them if necessary."""
        return self._size

    @functools.cached_property
    def _size(self):
        with workers.absent():
            return sum(1 for _ in self._begin()())

    def __len__(self):
        return self.get_dataset_size()

    def get_batch_size(self):
        """Return the batch size; 1 without `batch`."""
        return self.children[0].get_batch_size() if self.children else 1

    def get_repeat_count(self):
        """Return the number of repetitions of the rows in an epoch."""
        return self.children[0].get_repeat_count() if self.children else 1

    def num_classes(self):
        """Return the number of classes; None if it is unknown."""
        return self.children[0].num_classes() if self.children else None

    def get_class_indexing(self):
        """Return {class: label} of the source dataset; empty if it is unknown."""
        return self.children[0].get_class_indexing() if self.children else {}

    @functools.cached_property
    def _first(self):
        with workers.absent():
            return next(self._begin()(), ())

    def output_shapes(self, estimate=False):
        """Return the shapes of the first row's columns, as lists; with `estimate`, None for each
        size that differs between rows."""
        if not estimate:
            return [list(np.shape(array)) for array in self._first]
        shapes = zip(*[[np.shape(a) for a in row] for row in self._begin()()], strict=True)
        return [
            [s[0] if len(set(s)) == 1 else None for s in zip(*column, strict=True)]
            for column in shapes
        ]

    def output_types(self):
        """Return the NumPy dtypes of the first row's columns; object for a dict."""
        dtypes = [np.asarray(value).dtype for value in self._first]
        # for strings without their length: other rows may be longer
        return [np.dtype(dtype.type) if dtype.kind in "US" else dtype for dtype in dtypes]

    def reset(self):
        """Do nothing: each iterator starts a new pipeline."""

    def set_init_step(self, init_step):
        """Make `Model.train` begin at this step, counted from the first epoch, to resume training.
        Give the number of complete epochs as `initial_epoch`. Iterators are not affected."""
        self._init_step = init_step

    def get_init_step(self):
        """Return the step that `set_init_step` set here or on the one dataset that this one reads;
        else 0."""
        if self._init_step is not None:
            return self._init_step
        return self.children[0].get_init_step() if len(self.children) == 1 else 0

    _init_step = None

    # its rows -------------------------------------------------------------------------------

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """Return an iterator over lists of Tensors (arrays for strings, or with `output_numpy`),
        epoch by epoch.

        `columns`: column names, all by default. `num_epochs`: number of epochs, -1 for no limit.
        """
        source = self if columns is None else self.project(columns)
        return TupleIterator(source, num_epochs, output_numpy)

    def _after(self, done, epochs):
        """Return an iterator over the `epochs` epochs after `done` ones, which are read: a shuffled
        order follows from the ones before."""
        iterator = TupleIterator(self, epochs, False)
        for _ in range(done):
            for _row in iterator._epoch():
                pass
        return iterator

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """Return an iterator over dicts {column: Tensor (array, with `output_numpy`)}."""
        return DictIterator(self, num_epochs, output_numpy)

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Write the rows of one epoch to `num_files` MindRecord files, for `MindDataset`.

        Numbers are stored as Int32, Int64, Float32 or Float64, whichever holds them.
        """
        from sporax.data.save_mindrecord import save  # loads sqlite3

        save(self, file_name, num_files, file_type)

    # what can be done to them ---------------------------------------------------------------

    def __add__(self, other):
        return self.concat(other)

    def apply(self, apply_func):
        """Return `apply_func(self)`, which must be a dataset."""
        dataset = apply_func(self)
        is_one = isinstance(dataset, Dataset)
        require(is_one, "return-dataset", "apply", argument="apply_func", got=dataset)
        return dataset


def names(who, columns):
    """Return column names as a list; `columns`: one name or several."""
    listed = [columns] if isinstance(columns, str) else list(columns)
    require(all(isinstance(name, str) for name in listed), "columns-given-name", who, got=columns)
    different = len(set(listed)) == len(listed)
    require(different, "columns-different", who, got=listed, error=ValueError)
    return listed


def column_indices(who, dataset, columns):
    """Return the positions of columns in a dataset's rows."""
    listed = names(who, columns)
    for name in listed:
        require(name in dataset._columns, "columns-among", who, schema=dataset._columns, got=name)
    return [dataset._columns.index(name) for name in listed]


def count(who, name, value, least, none: Any = None) -> Any:
    """Return an int that is at least `least`; None if `value` is None or `none`."""
    value = plain(value)
    if value is None or value == none:
        return None
    return within(least, MOST, INT).checked(who, name, value)


def as_array(who, value) -> np.ndarray:
    """Return one column of one row as an array; raises TypeError for other objects."""
    if isinstance(value, Tensor):
        value = value.asnumpy()
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = None
    if array is None or array.dtype == object:
        raise rejection("rows-hold-numbers-strings", who, got=value)
    return array


def as_row(who, item, columns):
    """Return a row as a tuple, with an array or a user's dict for each column; `item`: a tuple, or
    a single value."""
    values = item if isinstance(item, tuple) else (item,)
    require(len(values) == len(columns), "one-value-columns", who, columns=columns, got=len(values))
    return tuple([value if isinstance(value, dict) else as_array(who, value) for value in values])


__all__ = ["Dataset"]
