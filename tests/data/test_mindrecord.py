"""MindRecord files: MindSpore's are read, and ours are the same (`tools.record vision`)."""

import json
import sqlite3

import numpy as np
import pytest

from sporax import data
from sporax.data import mindrecord, vision
from sporax.data.mindrecord import FileReader, FileWriter
from sporax.data.mindrecord_file import compress, header_to_be_continued, uncompress
from tests import records
from tests.data.record_cases import RECORDS, listed, write
from tests.data.vision_cases import IMAGE, PNG

READ = records.read("mindrecord")


@pytest.fixture
def recorded_file(tmp_path):
    """A file as MindSpore wrote it."""

    def put(name):
        with np.load(records.FOLDER / "mindrecord.npz") as kept:
            for suffix in ("", ".db"):
                (tmp_path / f"rows{suffix}").write_bytes(kept[f"{name}{suffix}"].tobytes())
        return tmp_path / "rows"

    return put


def parts(path):
    """All that a file and its index hold, pages by type and number: MindSpore has those of raw
    data after all others of a call."""
    header, content = header_to_be_continued(path), path.read_bytes()
    result, numbers = {}, {}
    for page in header.pop("page"):
        number = page.pop("page_id")
        at = header["header_size"] + number * header["page_size"]
        numbers[number] = key = page["page_type"], page["page_type_id"]
        result[key] = page, content[at : at + page["page_size"]]
    connection = sqlite3.connect(f"{path}.db")
    rows = [list(row) for row in connection.execute("SELECT * FROM INDEXES ORDER BY ROW_ID")]
    for row in rows:
        row[1], row[5] = numbers[row[1]], numbers[row[5]]
    columns = [row[1:3] for row in connection.execute("PRAGMA table_info(INDEXES)")]
    shards = connection.execute("SELECT * FROM SHARD_NAME").fetchall()
    connection.close()
    return header, result, rows, columns, shards


@pytest.mark.parametrize("name", RECORDS)
def test_files_of_mindspore_are_read(name, recorded_file):
    result = listed(data.MindDataset(str(recorded_file(name)), shuffle=False))
    assert json.loads(json.dumps(result)) == READ[name]


@pytest.mark.parametrize("name", RECORDS)
def test_files_are_as_mindspore_writes_them(name, recorded_file, tmp_path):
    expected = recorded_file(name)
    (tmp_path / "ours").mkdir()
    actual = tmp_path / "ours" / "rows"
    write(FileWriter(str(actual)), *RECORDS[name])
    assert parts(actual) == parts(expected)


@pytest.mark.parametrize("name", RECORDS)
def test_what_is_written_is_read(name, tmp_path):
    path = tmp_path / "rows"
    write(FileWriter(str(path)), *RECORDS[name])
    reader = FileReader(str(path))
    expected = [row for rows in RECORDS[name][1] for row in rows]
    assert reader.len() == len(expected)
    for result, row in zip(reader.get_next(), expected, strict=True):
        assert result.keys() == row.keys()
        for field, value in row.items():
            assert np.array_equal(result[field], value)
            assert getattr(result[field], "dtype", None) == getattr(value, "dtype", None)
    assert reader.schema() == dict(sorted(RECORDS[name][0].items()))
    reader.close()


def small(path, rows, shards=1, calls=1, **options):
    writer = FileWriter(str(path), shards, **options)
    writer.add_schema({"a": {"type": "int32"}})
    for call in np.array_split(np.arange(rows), calls):
        writer.write_raw_data([{"a": int(i)} for i in call])
    writer.commit()


def numbers(dataset):
    return [int(row[0]) for row in dataset.create_tuple_iterator(num_epochs=1)]


@pytest.mark.parametrize("calls", [1, 7])
def test_several_files(tmp_path, calls):
    small(tmp_path / "rows", 7, 3, calls)
    sizes = [FileReader([str(tmp_path / f"rows{i}")]).len() for i in range(3)]
    assert sizes == [3, 2, 2]
    together = data.MindDataset(str(tmp_path / "rows0"), shuffle=False)
    assert sorted(numbers(together)) == list(range(7)) and together.get_dataset_size() == 7
    apart = [data.MindDataset([str(tmp_path / f"rows{i}")], shuffle=False) for i in range(3)]
    assert numbers(together) == [i for part in apart for i in numbers(part)]


def test_which_rows(tmp_path):
    small(tmp_path / "rows", 7)
    path = str(tmp_path / "rows")
    assert numbers(data.MindDataset(path, num_samples=3, shuffle=False)) == [0, 1, 2]
    shard = data.MindDataset(path, num_shards=2, shard_id=1, shuffle=False)
    assert numbers(shard) == [1, 3, 5, 0]
    assert numbers(data.MindDataset(path, sampler=data.SequentialSampler(2, 3))) == [2, 3, 4]
    data.config.set_seed(3)
    shuffled = numbers(data.MindDataset(path))
    assert shuffled == numbers(data.MindDataset(path, shuffle=data.Shuffle.GLOBAL))
    assert sorted(shuffled) == list(range(7)) and shuffled != list(range(7))
    padded = data.MindDataset(path, padded_sample={"a": -1}, num_padded=2, shuffle=False)
    assert numbers(padded) == [*range(7), -1, -1]


def test_rows_are_added_later(tmp_path):
    path = tmp_path / "rows"
    small(path, 3)
    for start in (3, 5):
        writer = FileWriter.open_for_append(str(path))
        writer.write_raw_data([{"a": start}, {"a": start + 1}])
        writer.commit()
    assert numbers(data.MindDataset(str(path), shuffle=False)) == list(range(7))


def test_encoded_images_are_decoded(tmp_path):
    writer = FileWriter(str(tmp_path / "rows"))
    writer.add_schema({"image": {"type": "bytes"}, "name": {"type": "string"}})
    writer.write_raw_data([{"image": PNG.tobytes(), "name": "a"}])
    writer.commit()
    dataset = data.MindDataset(str(tmp_path / "rows")).map(vision.Decode(), "image")
    row = next(dataset.create_dict_iterator())
    assert np.array_equal(row["image"].asnumpy(), IMAGE)
    assert row["name"] == "a"


def test_ints_take_as_few_bytes_as_they_need():
    rng = np.random.default_rng(0)
    for dtype in (np.int32, np.int64):
        bits = rng.integers(0, np.iinfo(dtype).bits, 500)
        ints = (rng.integers(0, 2**62, 500) >> (62 - bits)).astype(dtype) * rng.choice([-1, 1], 500)
        assert np.array_equal(uncompress(compress(ints), dtype), ints)
    assert uncompress(compress(np.zeros(0, np.int32)), np.int32).size == 0


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({}, "must be a dict of fields"),
        ({"a": 3}, "must have a dict of 'type'"),
        ({"a": {"type": "int8"}}, "must have one of the types"),
        ({"a": {"type": "bytes", "shape": [2]}}, "must have one of the types"),
        ({"a b": {"type": "int32"}}, "must have names of letters"),
        ({"a": {"type": "int32", "shape": 3}}, "must have a list as the 'shape'"),
    ],
)
def test_schemas_that_are_none(tmp_path, schema, said):
    with pytest.raises(mindrecord.MRMInvalidSchemaError, match=said):
        FileWriter(str(tmp_path / "rows")).add_schema(schema)


def test_rows_that_do_not_fit_are_left_out_with_a_warning(tmp_path):
    writer = FileWriter(str(tmp_path / "rows"))
    writer.add_schema({"a": {"type": "int32"}, "v": {"type": "float32", "shape": [-1, 2]}})
    fits = {"a": 1, "v": np.zeros((1, 2), np.float32)}
    for wrong, said in (
        ({"a": 1}, "row 1 is left out: it has no 'v'"),
        (fits | {"a": "x"}, "it has a str as 'a', which is to be int32"),
        (fits | {"a": np.int64(5)}, "it has a int64 as 'a', which is to be int32"),
        (fits | {"a": 2**40}, "it has 1099511627776 as 'a', which is to be int32"),
        (fits | {"v": np.zeros((1, 2))}, "has float64 as 'v', which is to be an array of float32"),
        (fits | {"v": np.zeros(3, np.float32)}, r"has shape \(3,\) as 'v', which is to be"),
    ):
        with pytest.warns(RuntimeWarning, match=said):
            writer.write_raw_data([fits, wrong])
    with (
        pytest.warns(RuntimeWarning, match="row 0 is left out"),
        pytest.raises(RuntimeError, match="at least one row must be as the schema says"),
    ):
        writer.write_raw_data([{"a": 1}])
    writer.commit()
    assert FileReader(str(tmp_path / "rows")).len() == 6


def test_what_is_refused(tmp_path):
    path = str(tmp_path / "rows")
    small(path, 2)
    with pytest.raises(RuntimeError, match="must not be there"):
        small(path, 2)
    small(path, 2, overwrite=True)
    writer = FileWriter(path, overwrite=True)
    writer.add_schema({"a": {"type": "int32"}, "b": {"type": "bytes"}})
    for call, kind in (
        (lambda: FileWriter(path, 0), mindrecord.ParamValueError),
        (lambda: FileWriter(3), mindrecord.ParamTypeError),
        (lambda: writer.add_index(["b"]), mindrecord.MRMDefineIndexError),
        (lambda: writer.add_index(["c"]), RuntimeError),
        (lambda: writer.add_index("a"), mindrecord.ParamTypeError),
        (lambda: writer.write_raw_data({"a": 1}), mindrecord.ParamTypeError),
        (lambda: writer.write_raw_data([3]), mindrecord.ParamTypeError),
        (lambda: writer.set_page_size(5), RuntimeError),
        (lambda: data.MindDataset(path + "x"), ValueError),
        (lambda: data.MindDataset(path, ["b"]), RuntimeError),
        (lambda: data.MindDataset(path, shuffle="files"), NotImplementedError),
        (lambda: FileReader(path, columns=["b"]), RuntimeError),
    ):
        with pytest.raises(kind, match=r"For '|sporax has no"):
            call()


def test_damaged_files(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"xyz")
    with pytest.raises(RuntimeError, match="does not begin like one"):
        FileReader(str(path))
    small(path, 2, overwrite=True)
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    with pytest.raises(RuntimeError, match=r"must hold a row of .* bytes at byte"):
        list(FileReader(str(path)).get_next())
    path.write_bytes(content)
    (tmp_path / "rows.db").write_bytes(b"none of SQLite's")
    with pytest.raises(RuntimeError, match="must be an index of a MindRecord file"):
        FileReader(str(path))
    (tmp_path / "rows.db").unlink()
    with pytest.raises(RuntimeError, match="must have its index beside it"):
        FileReader(str(path))


def test_a_data_set_is_saved(tmp_path):
    columns = {f"{k}{n}": np.arange(3 * 2**n).reshape(3, *[2] * n).astype(k)
               for k in ("bool", "uint8", "int32", "uint32", "uint64", "float16", "float64")
               for n in (0, 2)}  # fmt: skip
    columns["text"] = np.array(["a", "bb", "c"])
    source = data.NumpySlicesDataset(columns, shuffle=False)
    source.save(str(tmp_path / "rows"))
    saved = data.MindDataset(str(tmp_path / "rows"), list(columns), shuffle=False)
    actual, reference = (
        list(d.create_dict_iterator(num_epochs=1, output_numpy=True)) for d in (saved, source)
    )
    kept = {"bool": "int32", "uint8": "int32", "uint32": "int64", "uint64": "int64",
            "float16": "float32"}  # fmt: skip
    for row, expected in zip(actual, reference, strict=True):
        for name, array in expected.items():
            assert np.array_equal(row[name], array)
            if name != "text":
                assert row[name].dtype.name == kept.get(array.dtype.name, array.dtype.name)
    source.save(str(tmp_path / "more"), 2)
    assert data.MindDataset(str(tmp_path / "more0")).get_dataset_size() == 3
    with pytest.raises(RuntimeError, match="must not be there"):
        source.save(str(tmp_path / "rows"))
    for wrong, kind in (((3,), TypeError), (("x", 0), ValueError), (("x", 1, "csv"), ValueError)):
        with pytest.raises(kind, match="For 'save'"):
            source.save(*wrong)
