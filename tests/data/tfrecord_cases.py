"""TFRecord files, written byte by byte, and their reads: name -> arguments of `TFRecordDataset`
(`tools.record steps`)."""

import gzip
import json
import struct
import zlib


def varint(number):
    number &= 2**64 - 1
    head = b""
    while number > 127:
        head += bytes([number & 127 | 128])
        number >>= 7
    return head + bytes([number])


def block(field, content):
    return bytes([field << 3 | 2]) + varint(len(content)) + content


def feature(values):
    if isinstance(values[0], bytes):
        return block(1, b"".join(block(1, value) for value in values))
    if isinstance(values[0], float):
        return block(2, block(1, struct.pack(f"<{len(values)}f", *values)))
    return block(3, block(1, b"".join(map(varint, values))))


def example(row):
    entries = [block(1, key.encode()) + block(2, feature(row[key])) for key in row]
    return block(1, b"".join(block(1, entry) for entry in entries))


def masked_crc(data):
    """Bit by bit, from the definition."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def file(rows):
    parts = []
    for row in rows:
        head, data = struct.pack("<Q", len(example(row))), example(row)
        parts += [head, masked_crc(head), data, masked_crc(data)]
    return b"".join(parts)


ROWS = [
    {"z": [i, -(2**40) * i], "label": [i], "name": [f"é{i}".encode()],
     "x": [i + 0.5, 1.0, 2.0, -3.0], "img": [bytes([i, 1, 2, 255] * 150)]}
    for i in range(5)
]  # fmt: skip
SCHEMA = {
    "datasetType": "TF", "numRows": 3,
    "columns": {"label": {"type": "int32", "rank": 1},
                "z": {"type": "int64", "rank": 1, "shape": [2]}},
}  # fmt: skip


def write(folder):
    content = file(ROWS)
    (folder / "a.tfrecord").write_bytes(content)
    (folder / "b.tfrecord").write_bytes(file([{"label": [10 + i]} for i in range(2)]))
    (folder / "a.gz").write_bytes(gzip.compress(content, mtime=0))
    (folder / "a.zlib").write_bytes(zlib.compress(content))
    (folder / "schema.json").write_text(json.dumps(SCHEMA), "utf8")


LABEL = [("label", "int32", [1])]
BOTH = ["a.tfrecord", "b.tfrecord"]
# name -> (files, columns of the schema, other arguments)
READ = {
    "no schema": ("a.tfrecord", None, {}),
    "columns": ("a.tfrecord", None, {"columns_list": ["label", "x"], "num_samples": 2}),
    "shapes": ("a.tfrecord", [("x", "float32", [2, 2]), ("label", "int32", []),
                              ("z", "int64", [-1]), ("name", "string", [1]),
                              ("img", "uint8", [150, 4])], {}),
    "types": ("a.tfrecord", [("x", "float16"), ("label", "int8"), ("z", "float64")], {}),
    "truncated": ("a.tfrecord", [("x", "int32"), ("label", "bool")], {}),
    "file of a schema": ("a.tfrecord", "schema.json", {}),
    "gzip": ("a.gz", LABEL, {"compression_type": "GZIP"}),
    "zlib": ("a.zlib", LABEL, {"compression_type": "ZLIB"}),
    "two files": (BOTH, LABEL, {}),
    **{f"shard {i}, {equal}": (
        BOTH, LABEL, {"num_shards": 2, "shard_id": i, "shard_equal_rows": equal})
       for i in (0, 1) for equal in (False, True)},
    "some of a shard": (BOTH, LABEL, {"num_shards": 2, "shard_id": 0, "num_samples": 3}),
    "shuffled": (BOTH, LABEL, {"shuffle": True}),
}  # fmt: skip


def read(ds, folder, files, columns, arguments):
    """Return columns, size, rows, and the schema as text."""
    write(folder)
    ds.config.set_seed(5)
    paths = [str(folder / name) for name in ([files] if isinstance(files, str) else files)]
    schema = columns
    if isinstance(columns, str):
        schema = str(folder / columns)
    elif columns:
        schema = ds.Schema()
        for column in columns:
            schema.add_column(*column)
    arguments = {"shuffle": False, "num_parallel_workers": 1} | arguments
    data = ds.TFRecordDataset(paths, schema=schema, **arguments)
    rows = [[(str(x.dtype), x.shape, x.ravel()[:8].tolist()) for x in row]
            for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]  # fmt: skip
    return (
        data.get_col_names(),
        data.get_dataset_size(),
        rows,
        str(schema) if isinstance(columns, list) else None,
    )


def texts(ds, folder):
    """Schemas as texts."""
    write(folder)
    listed, named = ds.Schema(), ds.Schema()
    listed.parse_columns(
        [{"name": "a", "type": "int32", "shape": [2]}, {"name": "b", "type": "float32"}]
    )
    named.from_json(SCHEMA)
    of_file = ds.Schema(str(folder / "schema.json"))
    return [s.to_json() for s in (ds.Schema(), listed, named, of_file)], ds.Schema.get_num_rows(
        of_file
    )
