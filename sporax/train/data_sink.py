"""Data fetched implicitly in a training loop: `data_sink`, `DatasetHelper`."""

import functools
import itertools
import weakref

from sporax._src.capture.graph_capture.compiler_marks import JitConfig
from sporax._src.capture.graph_capture.jit import jit
from sporax._src.core import dtype as dtypes
from sporax._src.diagnosis import argument_kinds as kinds
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.nn.cell import Cell
from sporax.ops.communication.groups import leave_graph
from sporax.ops.primitive import Primitive


def data_sink(fn, dataset, sink_size=1, jit_config=None, input_signature=None):
    """Return a function that runs `fn` on the next `sink_size` rows of `dataset` on each call.

    `fn`: takes the columns of a row as Tensors. After the last row it restarts with the first.
    `jit_config`: a JitConfig to capture `fn` with `jit`; None to run it dynamically.
    `input_signature`: accepted. Returns the result of `fn` for the last row.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset({"x": np.array([1.0, 2.0, 3.0])}, shuffle=False)
    >>> double = sporax.data_sink(lambda x: 2 * x, data)
    >>> [float(double()) for _ in range(4)]
    [2.0, 4.0, 6.0, 2.0]
    """
    kinds.FUNCTION("data_sink", fn=fn)
    _DATASET("data_sink", dataset=dataset)
    kinds.POSITIVE_INT("data_sink", sink_size=sink_size)
    kinds.optional(kinds.instance_of(JitConfig))("data_sink", jit_config=jit_config)
    run = fn if jit_config is None else jit(fn)
    rows = _endless(dataset)

    @functools.wraps(fn)
    def sink_process(*args, **kwargs):
        for _ in range(sink_size):
            result = run(*next(rows))
        return result

    return sink_process


def _endless(dataset):
    epochs = dataset.create_tuple_iterator(num_epochs=-1)
    while True:
        count = 0
        for count, row in enumerate(epochs, 1):  # noqa: B007
            yield row
        require(count != 0, "rows-none-data-source", "data_sink", argument="dataset")


_DATASET = kinds.Kind(
    functools.partial(message, "a-dataset"), lambda data: hasattr(data, "create_tuple_iterator")
)
_queues, _numbers = weakref.WeakValueDictionary(), itertools.count()


class _Queue:
    """Named queue of a dataset's rows, for `GetNext`."""

    def __init__(self, rows):
        self.rows, self.queue_name = rows, f"queue_{next(_numbers)}"
        self._epoch = iter(())
        _queues[self.queue_name] = self

    def next(self, who):
        """Return the next row of this epoch, or the first one of the next epoch."""
        row = next(self._epoch, None)
        if row is None:
            self._epoch = iter(self.rows)
            row = next(self._epoch, None)
        if row is not None:
            return tuple(row)
        raise rejection("another-row-all-were", who, queue_name=self.queue_name)


class GetNext(Primitive):
    """Return the next row of a `DatasetHelper`'s dataset, as a tuple of Tensors.

    `types`, `shapes`: the dtypes and shapes of its columns, as returned by
    `DatasetHelper.types_shapes()`; `output_num`: their number. `shared_name`: the `queue_name` of
    the dataset's `__transfer_dataset__`. A captured function calls it outside of its graph. Raises
    TypeError for invalid argument types, RuntimeError for an unknown dataset or an exhausted one,
    ValueError for a row of other dtypes or shapes.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset({"x": np.array([1.0, 2.0])}, shuffle=False)
    >>> helper = sporax.DatasetHelper(data, True)
    >>> name = helper.iter.dataset.__transfer_dataset__.queue_name
    >>> get_next = GetNext(*helper.types_shapes(), 1, name)
    >>> [float(get_next()[0]) for _ in range(2)]
    [1.0, 2.0]
    """

    types: list
    shapes: list
    shared_name: str

    def __init__(self, types, shapes, output_num, shared_name):
        super().__init__("GetNext")
        kinds.SEQUENCE("GetNext", types=types, shapes=shapes)
        kinds.STR("GetNext", shared_name=shared_name)
        kinds.POSITIVE_INT("GetNext", output_num=output_num)
        require(len(types) == len(shapes) == output_num, "number-types-shapes", "GetNext",
                output_num=output_num, count=len(types), count2=len(shapes))  # fmt: skip
        for name, value in (
            ("types", list(types)), ("shapes", [tuple(shape) for shape in shapes]),
            ("output_num", output_num), ("shared_name", shared_name),
        ):  # fmt: skip
            self.add_prim_attr(name, value)

    def __call__(self):
        queue = _queues.get(self.shared_name)
        if queue is None:
            raise rejection("queue-name-datasethelper-s-dataset", "GetNext",
                            argument="shared_name", shared_name=self.shared_name)  # fmt: skip
        leave_graph()
        row = queue.next("GetNext")
        got = [(x.dtype, x.shape) for x in row]
        wanted = list(zip(self.types, self.shapes, strict=True))
        require(got == wanted, "row-types-shapes", "GetNext", wanted=wanted, got=got)
        return row


class GetNextSingleOp(Cell):
    """`GetNext` as a Cell.

    `dataset_types`, `dataset_shapes`: the dtypes and shapes of the columns. `queue_name`: the name
    of the dataset's rows.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset({"x": np.array([1.0, 2.0])}, shuffle=False)
    >>> helper = sporax.DatasetHelper(data, True)
    >>> name = helper.iter.dataset.__transfer_dataset__.queue_name
    >>> float(GetNextSingleOp(*helper.types_shapes(), name)()[0])
    1.0
    """

    def __init__(self, dataset_types, dataset_shapes, queue_name):
        super().__init__()
        self.get_next = GetNext(dataset_types, dataset_shapes, len(dataset_types), queue_name)

    def construct(self):
        return self.get_next()


class _Rows:
    """Iterable over the rows of a `DatasetHelper`."""

    def __init__(self, dataset, rows, size):
        self.dataset, self.rows, self.size = dataset, rows, size

    def __iter__(self):
        return iter(self.rows) if self.size is None else itertools.islice(self.rows, self.size)


class DatasetHelper:
    """Iterates over a dataset: each loop yields the rows of one epoch, as lists of Tensors.

    `dataset_sink_mode`: use a device queue; rows arrive the same way without one, and
    through `nn.GetNextSingleOp`. `sink_size`: in that mode the number of rows per loop, continuing
    where the previous loop ended and restarting after the last row; -1 for all. `epoch_num`: the
    number of epochs, -1 for unlimited. The attribute `iter` is the iterable, with the attribute
    `dataset`.

    >>> from sporax.data import NumpySlicesDataset
    >>> data = NumpySlicesDataset({"x": np.array([1.0, 2.0, 3.0])}, shuffle=False)
    >>> helper = sporax.DatasetHelper(data, True, sink_size=2, epoch_num=-1)
    >>> [[float(x) for x, in helper] for _ in range(2)]
    [[1.0, 2.0], [3.0, 1.0]]
    """

    def __init__(self, dataset, dataset_sink_mode=True, sink_size=-1, epoch_num=1):
        _DATASET("DatasetHelper", dataset=dataset)
        kinds.BOOL("DatasetHelper", dataset_sink_mode=dataset_sink_mode)
        if sink_size != -1:
            kinds.POSITIVE_INT("DatasetHelper", sink_size=sink_size)
        self._dataset = dataset
        self._size = dataset.get_dataset_size() if sink_size == -1 else sink_size
        counted = dataset_sink_mode and sink_size != -1
        rows = _endless(dataset) if counted else dataset.create_tuple_iterator(num_epochs=epoch_num)
        self.iter = _Rows(dataset, rows, self._size if counted else None)
        if dataset_sink_mode:
            dataset.__transfer_dataset__ = _Queue(rows)

    def __iter__(self):
        return iter(self.iter)

    def types_shapes(self):
        """Return the dtypes and the shapes of a row's columns, as two lists."""
        kinds = [dtypes.from_numpy(kind) for kind in self._dataset.output_types()]
        return kinds, self._dataset.output_shapes()

    def sink_size(self):
        """Return the number of rows per loop."""
        return self._size

    def stop_send(self):
        """Do nothing: rows are not queued on a device."""

    def release(self):
        """Do nothing: rows are not queued on a device."""

    def continue_send(self):
        """Do nothing: rows are not queued on a device."""


def connect_network_with_dataset(network, dataset_helper):
    """Return the network unchanged, to be called with the rows of `dataset_helper`.

    >>> connect_network_with_dataset(nn.Dense(2, 1), None)(ops.ones((3, 2))).shape
    (3, 1)
    """
    return network
