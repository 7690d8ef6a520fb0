"""Files of public datasets, and the MindRecord files that are converted from them."""

import gzip
import importlib
import io
import pickle
import struct

import numpy as np
from PIL import Image


def records_of(ds):
    """Return the module `mindrecord` next to a module `dataset`."""
    is_ours = ds.__name__.startswith("sporax")
    return importlib.import_module(f"{'sporax.data' if is_ours else 'mindspore'}.mindrecord")


def listed(mr, path):
    """Return the schema and the rows; for images, their first pixel."""
    reader = mr.FileReader(str(path))
    rows = [dict(sorted(row.items())) for row in reader.get_next()]
    for row in rows:
        for name, value in row.items():
            if isinstance(value, bytes):
                pixels = np.asarray(Image.open(io.BytesIO(value)))
                row[name] = [*pixels.shape, np.ravel(pixels[0, 0]).tolist()]
            if name == "file_name":
                row[name] = value[-7:]
    return reader.schema(), rows


def colours(count, start):
    """Return images of a single grey each, in the layout of CIFAR."""
    greys = np.arange(start, start + 20 * count, 20, dtype=np.uint8)
    return np.repeat(greys[:, None], 3072, axis=1)


def cifar10(ds, folder):
    for name, start in (("data_batch_1", 0), ("data_batch_2", 60), ("test_batch", 120)):
        content = {b"data": colours(2, start), b"labels": [start // 20, 1]}
        (folder / name).write_bytes(pickle.dumps(content, 4))
    mr = records_of(ds)
    mr.Cifar10ToMR(str(folder), str(folder / "rows")).transform(["label"])
    tables = [listed(mr, folder / name)[1] for name in ("rows", "rows_test")]
    for rows in tables:  # MindSpore takes the files in the folder's order
        assert [row.pop("id") for row in rows] == list(range(len(rows)))
    return [sorted(map(str, rows)) for rows in tables]


def cifar100(ds, folder):
    for name, start in (("train", 0), ("test", 100)):
        content = {b"data": colours(2, start), b"fine_labels": [5, 6], b"coarse_labels": [1, 2]}
        (folder / name).write_bytes(pickle.dumps(content, 4))
    mr = records_of(ds)
    mr.Cifar100ToMR(str(folder), str(folder / "rows")).transform()
    return [listed(mr, folder / name) for name in ("rows", "rows_test")]


def mnist(ds, folder):
    for part, count in (("train", 3), ("t10k", 2)):
        images = np.repeat(np.arange(count, dtype=np.uint8) * 40, 28 * 28).tobytes()
        for name, head, content in (
            ("images-idx3", (2051, count, 28, 28), images),
            ("labels-idx1", (2049, count), bytes(range(4, 4 + count))),
        ):
            content = struct.pack(f">{len(head)}I", *head) + content
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(content))
    mr = records_of(ds)
    mr.MnistToMR(str(folder), str(folder / "rows")).transform()
    return [listed(mr, folder / f"rows_{part}.mindrecord") for part in ("train", "test")]


def imagenet(ds, folder):
    for name, grey in (("n01", 10), ("n02", 90)):
        (folder / name).mkdir()
        Image.new("RGB", (4, 4), (grey,) * 3).save(folder / name / "a.JPEG")
    (folder / "map.txt").write_text("n01 0\nn02 7\n", "utf8")
    mr = records_of(ds)
    mr.ImageNetToMR(str(folder / "map.txt"), str(folder), str(folder / "rows")).transform()
    return listed(mr, folder / "rows")


def pages(ds, folder, shards):
    mr = records_of(ds)
    writer = mr.FileWriter(str(folder / "rows"), shards)
    kinds = {"name": "string", "label": "int32", "f": "float64"}
    writer.add_schema({name: {"type": kind} for name, kind in kinds.items()})
    rows = [{"name": f"{i % 4}.jpg", "label": 12 - 5 * (i % 3), "f": i / 4} for i in range(7)]
    writer.write_raw_data(rows)
    writer.commit()
    page = mr.MindPage(str(folder / ("rows" if shards == 1 else "rows0")))
    results = [page.candidate_fields, page.category_field]
    for name, value in (("label", "12"), ("name", "1.jpg"), ("f", "0.25")):
        page.category_field = name
        results += [page.category_field, page.read_category_info()]
        results += [page.read_at_page_by_id(1, 0, 2), page.read_at_page_by_name(value, 0, 9)]
    return results
