"""Samplers of classes, callbacks and waiting, as in MindSpore (`tools.record steps`)."""

import json
import pickle
import threading

import numpy as np
import pytest

from sporax import data as ds
from sporax import nn
from sporax._src.mindspore.compat.waited_callback import WaitedDSCallback
from sporax.data import mindrecord
from sporax.data.tfrecord_file import crc32c, masked
from sporax.train import Model
from tests import records
from tests.data import tfrecord_cases
from tests.data.step_cases import CASES, image_folder

RECORDED = records.read("steps")


@pytest.mark.parametrize("name", CASES)
def test_as_mindspore(name, tmp_path):
    assert json.loads(json.dumps(CASES[name](ds, tmp_path))) == RECORDED[name]


def numbers(count=4):
    return ds.NumpySlicesDataset(list(range(count)), ["x"], shuffle=False)


def test_an_iterator_that_is_stopped():
    rows = numbers().create_dict_iterator(output_numpy=True)
    assert next(rows)["x"] == 0
    rows.stop()
    with pytest.raises(RuntimeError, match="have been gone through"):
        next(rows)


def test_events_in_order():
    events = []

    class Told(ds.DSCallback):
        def ds_begin(self, at):
            events.append("begin")

        def ds_step_begin(self, at):
            events.append(f"step {at.cur_step_num}")

        def ds_step_end(self, at):
            events.append("end of step")

        def ds_epoch_end(self, at):
            events.append("end of epoch")

    def row(x):
        events.append("row")
        return x

    list(numbers(2).map(row, "x", callbacks=Told()))
    step = "row", "end of step"
    assert events == ["begin", "step 1", *step, "step 2", *step, "end of epoch"]


def trained(callback, data):
    net = nn.Dense(1, 1)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    model.train(2, data, callbacks=callback, dataset_sink_mode=False)


def test_rows_wait_for_the_training():
    events = []

    class Told(WaitedDSCallback):
        def sync_step_begin(self, of_training, of_data):
            assert of_training.original_args().cur_step_num == of_data.cur_step_num // 2
            events.append(("step", of_data.cur_step_num))

        def sync_epoch_begin(self, of_training, of_data):
            assert of_training.original_args().cur_step_num == 2
            events.append(("epoch", of_data.cur_epoch_num))

    told = Told(step_size=2)
    x = np.ones((4, 1), np.float32)
    data = ds.NumpySlicesDataset((x, x), ["x", "y"], shuffle=False)
    trained(told, data.map(lambda x: x, "x", callbacks=told).batch(2))
    assert events == [("step", 3), ("epoch", 2), ("step", 5), ("step", 7)]


def test_waiting_ends(monkeypatch):
    monkeypatch.setitem(ds.config._values, "callback_timeout", 0.1)

    class Told(WaitedDSCallback):
        def sync_step_begin(self, of_training, of_data):
            pass

    with pytest.raises(RuntimeError, match="a step of the training must have ended"):
        list(numbers().map(lambda x: x, "x", callbacks=Told()))
    with pytest.raises(RuntimeError, match=r"'sync_update\('c'\)' must be called after 1 batches"):
        list(numbers().sync_wait("c"))


def test_another_thread_lets_rows_pass():
    data, rows = numbers().sync_wait("c"), []
    reader = threading.Thread(target=lambda: rows.extend(data), daemon=True)
    reader.start()
    for _ in range(3):
        data.sync_update("c")
    reader.join(10)
    assert [int(x) for (x,) in rows] == [0, 1, 2, 3]


class Nothing(ds.DSCallback):
    pass


class Raises(ds.DSCallback):
    def ds_step_begin(self, at):
        raise KeyError("mine")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda _: ds.PKSampler("a"), TypeError, "'num_val' must be an int"),
        (lambda _: ds.PKSampler(0), ValueError, "'num_val' must be an int in"),
        (lambda _: ds.PKSampler(2, 2), NotImplementedError, "'num_class' must be None"),
        (lambda _: ds.PKSampler(2, shuffle=1), TypeError, "'shuffle' must be a bool"),
        (lambda _: ds.PKSampler(2, class_column=3), TypeError, "'class_column' must be a str"),
        (lambda _: ds.PKSampler(2, num_samples=-1), ValueError, "'num_samples' must be at least"),
        (lambda _: ds.PKSampler(2).add_child(ds.RandomSampler()), RuntimeError, "no other sampler"),
        (lambda _: ds.NumpySlicesDataset([1], sampler=ds.RandomSampler(), shard_id={1}), ValueError,
         r"'sampler' must come without .* and \{1\}"),
        (lambda _: list(ds.NumpySlicesDataset([1], sampler=ds.PKSampler(1))), ValueError,
         "it knows no classes"),
        (lambda folder: list(ds.ImageFolderDataset(
            image_folder(folder), sampler=ds.PKSampler(1, class_column="image"))),
         RuntimeError, "'class_column' of 'PKSampler' must name a column"),
        (lambda _: ds.DSCallback("a"), TypeError, "'step_size' must be an int"),
        (lambda _: ds.DSCallback(0), ValueError, "'step_size' must be an int in"),
        (lambda _: numbers().map(lambda x: x, callbacks=3), TypeError, "'callbacks' must be a"),
        (lambda _: numbers().map(lambda x: x, callbacks=Nothing()), AttributeError,
         "one of the methods ds_begin"),
        (lambda _: list(numbers().map(lambda x: x, callbacks=Raises())), KeyError, "mine"),
        (lambda _: numbers().sync_wait("c").sync_wait("c"), RuntimeError, "must come once"),
        (lambda _: numbers().sync_wait("c", 0), ValueError, "'num_batch' must be an int in"),
        (lambda _: numbers().sync_wait("c", callback=3), TypeError, "'callback' must be a func"),
        (lambda _: numbers().sync_update("c"), RuntimeError, "must be that of a 'sync_wait'"),
        (lambda _: numbers().sync_wait("c").sync_update("c", 0), ValueError, "'num_batch' must"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, said, tmp_path):
    with pytest.raises(error, match=said):
        call(tmp_path)


def test_checksums_of_any_length():
    content = bytes(np.random.default_rng(0).integers(0, 256, 5000, np.uint8))
    for size in (0, 1, 3, 255, 256, 257, 1000, 4096, 5000):
        expected = tfrecord_cases.masked_crc(content[:size])
        assert masked(crc32c(content[:size])).to_bytes(4, "little") == expected


def test_tensorboards_records_are_read(tmp_path):
    from tensorboard.summary.writer.record_writer import RecordWriter

    path = tmp_path / "rows"
    with open(path, "wb") as file:
        RecordWriter(file).write(tfrecord_cases.example({"a": [1, 2]}))
        file.flush()
        assert [x.tolist() for (x,) in iterated(ds.TFRecordDataset(str(path)))] == [[1, 2]]


def iterated(data):
    return data.create_tuple_iterator(num_epochs=1, output_numpy=True)


CONTENT = tfrecord_cases.file(tfrecord_cases.ROWS)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONTENT[:20] + b"?" + CONTENT[21:], "has a wrong checksum of record 0"),
        (b"?" + CONTENT[1:], "has a wrong checksum at the head of record 0"),
        (CONTENT[:-7], "ends in the middle of record 4"),
        (CONTENT[:5], "ends in the middle of record 0"),
        (b"", "must hold records, but has none"),
        (tfrecord_cases.file([{"a": [1]}, {"b": [1]}]), "has a record 1 without the column 'a'"),
        (tfrecord_cases.file([{"a": [b"x", b"y"]}]), "has a record 0 whose 'a' has 2 strings"),
    ],
    ids=range(7),
)
def test_damaged_records(content, said, tmp_path):
    (tmp_path / "rows").write_bytes(content)
    with pytest.raises(RuntimeError, match=rf"For 'TFRecordDataset', the file .*rows' {said}"):
        list(ds.TFRecordDataset(str(tmp_path / "rows"), shuffle=False))


@pytest.mark.parametrize(
    ("schema", "arguments", "error", "said"),
    [
        ([("z", "int32", [3])], {}, RuntimeError, "has 2 values, but is to have shape"),
        ([("img", "int32", [4])], {}, RuntimeError, "is bytes, but is to be int32"),
        ([("z", "string")], {}, RuntimeError, "is int64, but is to be a string"),
        ([("nope", "int32")], {}, RuntimeError, "without the column 'nope'"),
        (None, {"columns_list": ["nope"]}, RuntimeError, "'columns_list' must be among"),
        (None, {"compression_type": "X"}, ValueError, "'compression_type' must be one of"),
        (None, {"compression_type": "GZIP"}, RuntimeError, "must be a TFRecord file of compress"),
        (None, {"num_shards": 2, "shard_id": 0}, RuntimeError, "at least 'num_shards' files"),
        (None, {"shuffle": 3}, TypeError, "'shuffle' must be a bool"),
        ([("z", "int32", [-1, -1])], {}, ValueError, "one size of 'shape' may be -1"),
        ([("z", "int7")], {}, TypeError, "the type of a column must be"),
        ([("z", "int32", 3)], {}, TypeError, "'shape' must be a list"),
        ([(3, "int32")], {}, TypeError, "'name' must be a str"),
    ],
)
def test_tfrecords_that_do_not_fit(schema, arguments, error, said, tmp_path):
    tfrecord_cases.write(tmp_path)
    with pytest.raises(error, match=said):
        columns = None
        if schema:
            columns = ds.Schema()
            for column in schema:
                columns.add_column(*column)
        list(ds.TFRecordDataset(str(tmp_path / "a.tfrecord"), columns, **arguments))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda s: s.parse_columns([{"name": "a"}]), RuntimeError, "must have a 'type'"),
        (lambda s: s.parse_columns(3), RuntimeError, "'columns' must be a dict or a list"),
        (lambda s: s.from_json({"x": 1}), RuntimeError, "must have 'columns'"),
        (lambda s: ds.Schema("nope"), ValueError, "there must be a file 'nope'"),
        (lambda s: ds.Schema(3), TypeError, "'schema_file' must be a path"),
    ],
)
def test_schemas_that_are_none(call, error, said):
    with pytest.raises(error, match=said):
        call(ds.Schema())


def small(mr, folder):
    writer = mr.FileWriter(str(folder / "page"))
    writer.add_schema({"a": {"type": "int32"}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"a": i % 2, "b": b"x"} for i in range(3)])
    writer.commit()
    page = mr.MindPage(str(folder / "page"))
    page.category_field = "a"
    return page


def files(folder, **contents):
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return str(folder)


def set_field(page, name):
    page.category_field = name


def imagenet(folder, names):
    files(folder, m=names)
    mindrecord.ImageNetToMR(str(folder / "m"), str(folder), str(folder / "r")).run()


def cifar(folder, content):
    files(folder, data_batch_1=content, test_batch=content)
    mindrecord.Cifar10ToMR(str(folder), str(folder / "rows")).transform()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda p, f: set_field(p, "b"), mindrecord.MRMDefineCategoryError, "must be among"),
        (lambda p, f: set_field(p, 3), mindrecord.ParamTypeError, "must be a str"),
        (lambda p, f: p.read_at_page_by_id(-1, 0, 1), mindrecord.ParamValueError, "at least 0"),
        (lambda p, f: p.read_at_page_by_id(0, 0, 0), mindrecord.ParamValueError, "at least 1"),
        (lambda p, f: p.read_at_page_by_id(2, 0, 1), RuntimeError, r"must be in \[0, 2\)"),
        (lambda p, f: p.read_at_page_by_id(0, 5, 1), RuntimeError, "'page' must be that of"),
        (lambda p, f: p.read_at_page_by_name("z", 0, 1), RuntimeError, "must be one of those"),
        (lambda p, f: p.read_at_page_by_name(3, 0, 1), mindrecord.ParamValueError, "be a str"),
        (lambda p, f: mindrecord.MindPage(str(f / "page")).read_category_info(), RuntimeError,
         "Set it before"),
        (lambda p, f: mindrecord.Cifar10ToMR(str(f), "x"), ValueError, "must have files data_b"),
        (lambda p, f: cifar(f, b"no pickle"), RuntimeError, "must be a pickle of CIFAR's"),
        (lambda p, f: cifar(f, pickle.dumps(print)), RuntimeError, "which is no array"),
        (lambda p, f: mindrecord.CsvToMR(files(f, a=b"x,y\n1\n") + "/a", str(f / "r")).transform(),
         RuntimeError, "must have 2 columns in row 1, but has 1"),
        (lambda p, f: mindrecord.CsvToMR(files(f, a=b"") + "/a", str(f / "r")).transform(),
         RuntimeError, "must have rows"),
        (lambda p, f: mindrecord.CsvToMR(files(f, a=b"x\n1\n") + "/a", str(f / "r"), ["z"]).run(),
         RuntimeError, "'columns_list' must be among"),
        (lambda p, f: mindrecord.CsvToMR(str(f / "none"), "r"), ValueError, "must be a file"),
        (lambda p, f: imagenet(f, b"a\n"),
         RuntimeError, "a folder and its label in line 1"),
        (lambda p, f: imagenet(f, b"a 1"),
         ValueError, "must be in 'image_dir'"),
        (lambda p, f: mindrecord.MnistToMR(
            files(f, **{"train-images-idx3-ubyte.gz": b"x"}), str(f / "r")).run(),
         RuntimeError, "must be a gzipped file of MNIST's"),
    ],
)  # fmt: skip
def test_conversions_that_fail(call, error, said, tmp_path):
    with pytest.raises(error, match=said):
        call(small(mindrecord, tmp_path), tmp_path)


def test_tables_are_converted(tmp_path):
    table = b"name,n,share,is_new\ncat,3,0.5,True\ndog,4,,False\n"
    mindrecord.CsvToMR(files(tmp_path, a=table) + "/a", str(tmp_path / "rows")).transform()
    reader = mindrecord.FileReader(str(tmp_path / "rows"))
    kinds = {"is_new": "int32", "n": "int64", "name": "string", "share": "float64"}
    assert reader.schema() == {name: {"type": kind} for name, kind in kinds.items()}
    cat, dog = reader.get_next()
    assert cat == {"name": "cat", "n": 3, "share": 0.5, "is_new": 1}
    assert (dog["n"], dog["is_new"]) == (4, 0) and np.isnan(dog["share"])
    mindrecord.CsvToMR(str(tmp_path / "a"), str(tmp_path / "some"), ["n"]).transform()
    assert list(mindrecord.FileReader(str(tmp_path / "some")).get_next()) == [{"n": 3}, {"n": 4}]


def test_converters_say_that_they_did():
    assert (mindrecord.SUCCESS, mindrecord.FAILED) == (0, 1)
