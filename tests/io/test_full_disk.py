"""A disk without room: one error that names the call, the file and the cause, and no half-written
file."""

import contextlib
import gc
import sys
import tempfile

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, data, nn, ops
from sporax.data import mindrecord, vision
from sporax.insight.run_events import RunEvents
from sporax.io import background_writer
from sporax.train import Checkpointer, SummaryRecord

resource = pytest.importorskip("resource")


@contextlib.contextmanager
def full_disk():
    """Files of at most 1000 bytes, beyond which writes fail as on a full disk. Modules imported
    meanwhile are not compiled to files: Python would leave parts of them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = before


NET = nn.Dense(40, 40)
IMAGE = np.random.default_rng(0).integers(0, 256, (40, 40, 3), np.uint8)
ROWS = data.NumpySlicesDataset({"x": np.arange(2000).reshape(20, 100)}, shuffle=False)


def saved_in_a_thread(folder):
    ms.save_checkpoint(NET, f"{folder}/file.ckpt", async_save=True)
    background_writer.wait()


def summary(folder):
    with SummaryRecord(folder / "events", raise_exception=True) as record:
        record.add_value("tensor", "x", Tensor(np.zeros(1000)))
        record.record(1)
        record.flush()


def records(folder):
    writer = mindrecord.FileWriter(f"{folder}/file", shard_num=2)
    writer.add_schema({"x": {"type": "float64", "shape": [-1]}})
    writer.write_raw_data([{"x": np.zeros(100)}] * 20)
    writer.commit()


def spilled(folder):
    cache = data.DatasetCache(1, size=1, spilling=True)
    large = lambda x: np.zeros(200_000)  # noqa: E731
    list(ROWS.map(large, "x", cache=cache).create_tuple_iterator(num_epochs=1))


def dumped(folder):
    ops.TensorDump()(f"{folder}/file", Tensor(IMAGE))
    ms.hal.synchronize()


WRITES = {  # name -> (function of a folder, words of the error)
    "ckpt": (lambda f: ms.save_checkpoint(NET, f"{f}/file.ckpt"), "For 'save_checkpoint', "),
    "safetensors": (
        lambda f: ms.save_checkpoint(NET, f"{f}/file", format="safetensors"),
        "For 'save_checkpoint', ",
    ),
    "thread": (saved_in_a_thread, "For 'save_checkpoint', "),
    "checkpointer": (lambda f: Checkpointer(f, NET).save(1), "For 'Checkpointer', "),
    "graph": (
        lambda f: ms.export(NET, ops.ones((1, 40)), file_name=f"{f}/file", file_format="MINDIR"),
        "For 'export', ",
    ),
    "summary": (summary, "For 'SummaryRecord', "),
    "records": (records, "For 'FileWriter', "),
    "rows": (lambda f: ROWS.save(f"{f}/file"), "For 'FileWriter', "),
    "png": (lambda f: vision.write_png(f"{f}/file", IMAGE), "For 'write_png', "),
    "jpeg": (lambda f: vision.write_jpeg(f"{f}/file", IMAGE), "For 'write_jpeg', "),
    "bytes": (lambda f: vision.write_file(f"{f}/file", IMAGE.ravel()), "For 'write_file', "),
    "pipeline": (lambda f: data.serialize(ROWS, f"{f}/file"), "For 'serialize', "),
    "cache": (spilled, "For 'DatasetCache', "),
    "offload": (lambda f: Tensor(IMAGE).offload(f"{f}/file"), "For 'Tensor.offload', "),
    "dump": (dumped, "For 'TensorDump', "),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_full_disk_is_one_error(name, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    write, words = WRITES[name]
    with full_disk(), pytest.raises((OSError, RuntimeError)) as caught:
        write(tmp_path)
    text = str(caught.value)
    assert words in text and str(tmp_path) in text and "File too large" in text
    if name != "summary":  # events are added to a file
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_piece_of_an_event_is_not_written_later(tmp_path):
    record = RunEvents(tmp_path)
    with full_disk(), pytest.raises(OSError, match="For 'RunRecord', "):
        record.add_images(1, "x", IMAGE.transpose(2, 0, 1)[None])
    [path] = tmp_path.iterdir()
    del record
    gc.collect()
    assert path.stat().st_size == 1000


def test_records_that_were_there_stay(tmp_path):
    """Rows that cannot be added, or cannot replace others, change nothing."""
    path = f"{tmp_path}/rows"
    ROWS.save(path)
    writer = mindrecord.FileWriter.open_for_append(path)
    again = mindrecord.FileWriter(path, overwrite=True)
    again.add_schema({"x": {"type": "int64", "shape": [-1]}})
    for other in (writer, again):
        with full_disk(), pytest.raises(OSError, match="could not be written"):
            other.write_raw_data([{"x": np.arange(100)}])
            other.commit()
        with pytest.raises(RuntimeError, match="nothing can be written after an error"):
            other.commit()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["rows", "rows.db"]
    assert [len(x) for (x,) in data.MindDataset(path)] == [100] * 20


def test_a_row_that_fails_leaves_no_file(tmp_path):
    with pytest.raises(ZeroDivisionError):
        ROWS.map(lambda x: 1 // (x[0] - 500)).map(lambda x: 1 // 0).save(f"{tmp_path}/rows")
    assert not [*tmp_path.iterdir()]
