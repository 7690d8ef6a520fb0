"""`DatasetCache`: the same rows as without, each computed once as far as there is room."""

import copy

import numpy as np
import pytest

from sporax import data
from sporax.data import cache as cache_module
from sporax.data import config, transforms, vision
from tests.data import pipeline_cases, tfrecord_cases


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    pipeline_cases.write(folder)
    tfrecord_cases.write(folder)
    data.NumpySlicesDataset({"x": np.arange(5)}, shuffle=False).save(str(folder / "rows"))
    return folder


SETS = {
    "images": lambda f, c: data.ImageFolderDataset(str(f / "images"), decode=True, cache=c),
    "images by workers": lambda f, c: data.ImageFolderDataset(
        str(f / "images"), num_parallel_workers=2, cache=c),
    "lines": lambda f, c: data.TextFileDataset(str(f / "lines.txt"), cache=c),
    "table": lambda f, c: data.CSVDataset(str(f / "table.csv"), shuffle=False, cache=c),
    "tfrecord": lambda f, c: data.TFRecordDataset([str(f / "a.tfrecord")] * 2, cache=c),
    "mindrecord": lambda f, c: data.MindDataset(str(f / "rows"), cache=c),
    "shard": lambda f, c: data.MindDataset(str(f / "rows"), num_shards=2, shard_id=1, cache=c),
    "fake images": lambda f, c: data.FakeImageDataset(6, (8, 9, 3), cache=c),
    "random": lambda f, c: data.RandomDataset(4, columns_list=["x"], cache=c),
    "map": lambda f, c: data.TextFileDataset(str(f / "lines.txt")).map(
        lambda x: np.array(str(x) + "!"), "text", cache=c),
    "map by workers": lambda f, c: data.ImageFolderDataset(str(f / "images")).map(
        [vision.Decode(), vision.Resize((700, 600))], "image", num_parallel_workers=2,
        python_multiprocessing=True, cache=c).batch(3),
}  # fmt: skip
MEGABYTE = {"size": 1}  # holds one of the images of 700x600
SIZES = {"all": {}, "some": MEGABYTE, "some on disk": MEGABYTE | {"spilling": True}}


def three_epochs(dataset, shown=np.ndarray.tolist):
    rows = dataset.create_tuple_iterator(num_epochs=3, output_numpy=True)
    return [[[shown(x) for x in row] for row in rows] for _ in range(3)]


def content(x):
    return x.dtype, x.shape, x.tobytes()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SETS)
def test_rows_are_the_same(name, size, folder):
    config.set_seed(3)
    cache = data.DatasetCache(1, **SIZES[size])
    expected = three_epochs(SETS[name](folder, None), content)
    assert three_epochs(SETS[name](folder, cache), content) == expected
    in_memory = cache.get_stat().num_mem_cached
    if (name, size) == ("map by workers", "some"):
        assert in_memory == 0 and cache.get_stat().num_disk_cached == 0
    elif (name, size) == ("map by workers", "some on disk"):
        assert in_memory == 0 and cache.get_stat().num_disk_cached == 4
        assert cache.get_stat().avg_cache_sz >= 700 * 600 * 3
    else:
        assert in_memory >= 1


def test_each_row_is_computed_once_and_not_changed_later():
    calls = []

    def doubled(x):
        calls.append(int(x))
        return np.array([2 * int(x)])

    def spoil(x):
        x += 100
        return x

    rows = data.NumpySlicesDataset(np.arange(4), "x").map(doubled, "x", cache=data.DatasetCache(1))
    epochs = three_epochs(rows.map(spoil, "x"))
    assert [sorted(row[0][0] for row in epoch) for epoch in epochs] == [[100, 102, 104, 106]] * 3
    assert sorted(calls) == [0, 1, 2, 3]
    more = data.NumpySlicesDataset(np.arange(4), "x").map(lambda x: x, "x", cache=rows._cache)
    assert sorted(three_epochs(more)[0]) == [[0], [1], [2], [3]]
    assert rows._cache.get_stat().num_mem_cached == 8  # each pipeline has its own rows


def test_room_is_bounded():
    cache = data.DatasetCache(1, size=1)
    rows = [(np.zeros(400_000, np.uint8),)] * 5
    for i, row in enumerate(rows):
        cache.put(i, row)
    assert cache.get_stat() == (400_000, 2, 0)
    spilling = data.DatasetCache(1, size=1, spilling=True)
    for i, row in enumerate(rows):
        spilling.put(i, (row[0] + i,))
    assert spilling.get_stat()[1:] == (2, 3)
    assert [int(spilling.get(i)[0][0]) for i in range(5)] == list(range(5))
    assert copy.deepcopy(cache) is cache


def test_keys_tell_rows_apart():
    rows = [
        (np.array([1, 2]),), (np.array([1, 2], np.int32),), (np.array([[1, 2]]),), ("a", "bc"),
        ("ab", "c"), (np.array([1]), np.array([2])), ({"a": np.array(1)},), (np.array(["a"]),),
    ]  # fmt: skip
    assert len({cache_module.digest(row) for row in rows}) == len(rows)
    assert cache_module.digest((np.eye(2).T,)) == cache_module.digest((np.eye(2),))


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((0,), ValueError, "'session_id' must be an int in"),
        ((2**32,), ValueError, "'session_id' must be an int in"),
        (("x",), TypeError, "'session_id' must be an int"),
        ((True,), TypeError, "'session_id' must be an int"),
        ((1, -1), ValueError, "'size' must be an int in"),
        ((1, 2.0), TypeError, "'size' must be an int"),
        ((1, 0, 1), TypeError, "'spilling' must be a bool"),
        ((1, 0, False, 3), TypeError, "'hostname' must be a str"),
        ((1, 0, False, None, 80), ValueError, "'port' must be an int in"),
        ((1, 0, False, None, None, 0), ValueError, "'num_connections' must be an int in"),
        ((1, 0, False, None, None, None, 0), ValueError, "'prefetch_size' must be an int in"),
    ],
)
def test_arguments_that_are_refused_as_by_mindspore(arguments, error, said):
    with pytest.raises(error, match=f"For 'DatasetCache', {said}"):
        data.DatasetCache(*arguments)


@pytest.mark.parametrize("name", SETS)
def test_what_is_no_cache(name, folder):
    with pytest.raises(TypeError, match="'cache' must be a DatasetCache or None, but got int"):
        SETS[name](folder, 3)


@pytest.mark.parametrize(
    "operation",
    [vision.RandomCrop(2), transforms.RandomApply([abs]), vision.RandAugment(),
     transforms.Compose([vision.RandomInvert()])],
    ids=lambda operation: type(operation).__name__,
)  # fmt: skip
def test_random_transforms_are_not_cached(operation):
    with pytest.raises(RuntimeError, match="'cache' must come without random transforms"):
        data.NumpySlicesDataset([1], "x").map(operation, "x", cache=data.DatasetCache(1))
