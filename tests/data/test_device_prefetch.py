"""Rows that a thread puts onto the device ahead of the reader."""

import threading
import time
import weakref

import numpy as np
import pytest

from sporax import Tensor, data
from sporax.data import device_prefetch, iterator


@pytest.fixture
def put(monkeypatch):
    """Lists the rows' first numbers as they are put onto the device, as one apart from a CPU."""
    rows, put = [], iterator.device_array

    def noted(array):
        rows.append(int(array.ravel()[0]))
        return put(array)

    monkeypatch.setattr(device_prefetch, "is_needed", lambda: True)
    monkeypatch.setattr(iterator, "device_array", noted)
    return rows


def batches(count=20):
    return data.NumpySlicesDataset(np.arange(2 * count), "x", shuffle=False).batch(2)


def waited(condition):
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.01)
    return False


def threads():
    return [t for t in threading.enumerate() if t.name == "device prefetch"]


def test_rows_are_put_ahead_and_no_more_than_that(put):
    rows = batches().create_tuple_iterator(num_epochs=2)
    assert not put  # no row is read before the first `next`
    for i in range(17):
        (x,) = next(rows)
        assert isinstance(x, Tensor) and x.asnumpy().tolist() == [2 * i, 2 * i + 1]
        # two wait, and a third is ready to
        assert waited(lambda: put[-1] == 2 * (i + 3))  # noqa: B023 - called at once
    time.sleep(0.02)
    assert len(put) == 20
    assert [int(x.asnumpy()[0]) for (x,) in rows] == [34, 36, 38]
    assert [int(x.asnumpy()[0]) for (x,) in rows] == list(range(0, 40, 2))
    assert not threads()


def test_nothing_is_left_of_an_iteration_that_is_abandoned(put):
    iteration = batches().create_tuple_iterator()
    array = next(iteration)[0]._value.array
    assert waited(lambda: len(put) == 4)
    first = weakref.ref(array)
    del array, iteration
    assert waited(lambda: not threads()) and first() is None
    assert len(put) == 4


def test_a_row_that_fails_is_an_error_at_its_place(put):
    def odd(x):
        if x == 5:
            raise KeyError("five")
        return x

    rows = data.NumpySlicesDataset(np.arange(9), "x", shuffle=False).map(odd).batch(2)
    iteration = rows.create_tuple_iterator()
    assert [next(iteration)[0].asnumpy().tolist() for _ in range(2)] == [[0, 1], [2, 3]]
    with pytest.raises(KeyError, match="odd raised this for row 5"):
        next(iteration)
    assert not threads()


def test_what_only_the_reader_may_compute_is_not_ahead(put):
    read = []
    callback = type("Told", (data.DSCallback,), {"ds_step_begin": lambda self, at: None})()
    rows = data.NumpySlicesDataset(np.arange(9), "x", shuffle=False)
    iteration = rows.map(lambda x: read.append(int(x)) or x, callbacks=callback)
    next(iteration.create_tuple_iterator())
    assert read == [0] and not threads()


def test_a_cpu_reads_batches_where_they_are():
    """Without a copy: the Tensor's memory is that of the batch."""
    rows = data.NumpySlicesDataset(np.zeros((64, 4096), np.float32), "x", shuffle=False).batch(16)
    host = next(rows._begin()())[0]
    tensor = iterator._own_tensor(host)
    device = tensor._value.array
    assert device.unsafe_buffer_pointer() == host.__array_interface__["data"][0]
