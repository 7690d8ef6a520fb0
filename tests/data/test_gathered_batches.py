"""Batches of arrays in memory, which a thread gathers in blocks: the same as row by row."""

import threading
import time

import numpy as np
import pytest

from sporax import data
from sporax.data import batch, config, random_streams

ARRAYS = {"x": np.arange(101 * 16, dtype=np.float32).reshape(101, 16), "y": np.arange(101)}
ODD = {"x": np.arange(101 * 3, dtype=np.int16).reshape(101, 3)}  # batches are not aligned
CASES = {  # name -> (arrays, arguments of the data set, of `batch`)
    "in order": (ARRAYS, {"shuffle": False}, (8,)),
    "shuffled": (ARRAYS, {"shuffle": True}, (8,)),
    "whole batches": (ARRAYS, {"shuffle": True}, (8, True)),
    "shard": (ARRAYS, {"num_shards": 2, "shard_id": 1}, (8,)),
    "some": (ARRAYS, {"num_samples": 70, "shuffle": True}, (8, True)),
    "subset": (ARRAYS, {"sampler": data.SubsetSampler([*range(90, 3, -2)])}, (8,)),
    "not aligned": (ODD, {"shuffle": True}, (7,)),
    "one batch": (ARRAYS, {"shuffle": True}, (200,)),
}


@pytest.fixture(params=[600, 2000, 5000])
def blocks(request, monkeypatch):
    """Blocks of one batch, of a few, and of about half an epoch."""
    monkeypatch.setattr(batch, "_BLOCK", request.param)


def listed(rows):
    return [[(x.dtype, x.shape, x.tobytes()) for x in row] for row in rows]


def pipelines(name):
    """(row by row, gathered) pipelines of a case."""
    arrays, arguments, batching = CASES[name]
    rows = data.NumpySlicesDataset(arrays, **arguments)
    same = rows.map(lambda x: x, "x")  # is called for each row
    return same.batch(*batching), rows.batch(*batching)


def epochs(pipeline, count=2):
    config.set_seed(11)
    rows = pipeline.create_tuple_iterator(num_epochs=count, output_numpy=True)
    return [listed(rows) for _ in range(count)]


@pytest.mark.parametrize("name", CASES)
def test_batches_are_the_same_as_row_by_row(name, blocks):
    plain, gathered = pipelines(name)
    expected = epochs(plain)
    assert gathered._gathers and not plain._gathers
    assert epochs(gathered) == expected
    assert gathered.get_dataset_size() == len(expected[0])


@pytest.mark.parametrize("name", CASES)
def test_batches_from_the_middle_are_the_same(name, blocks):
    plain, gathered = pipelines(name)
    with random_streams.fixed(5):
        expected = listed(plain._begin()())
    for first in {0, 1, len(expected) // 2, len(expected)}:
        with random_streams.fixed(5):
            assert listed(gathered._rows_from(first)) == expected[first:]


def test_batches_of_one_block_have_no_memory_in_common(blocks):
    rows = pipelines("shuffled")[1].create_tuple_iterator(num_epochs=1, output_numpy=True)
    before = ARRAYS["x"].copy()
    batches = [x for x, _ in rows]
    contents = [x.copy() for x in batches]
    batches[1][:] = -1
    for i, (x, content) in enumerate(zip(batches, contents, strict=True)):
        assert i == 1 or np.array_equal(x, content)
    assert np.array_equal(ARRAYS["x"], before)


def test_the_thread_ends_with_the_iteration(blocks):
    def workers():
        return [t for t in threading.enumerate() if t.name.startswith("batch worker")]

    before = {*workers()}
    iteration = pipelines("in order")[1].create_tuple_iterator()
    next(iteration)
    (added,) = {*workers()} - before
    del iteration
    for _ in range(500):
        if not added.is_alive():
            break
        time.sleep(0.01)
    assert not added.is_alive()
