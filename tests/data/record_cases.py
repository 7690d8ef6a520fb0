"""Rows for MindRecord files, written by MindSpore 2.10 and by sporax: name -> (schema, calls of
`write_raw_data`, fields of the index)."""

import numpy as np

RECORDS = {
    "numbers and strings": (
        {"b": {"type": "string"}, "a": {"type": "int32"}, "z": {"type": "float32"},
         "y": {"type": "int64"}, "x": {"type": "float64"}},
        [[
            {"b": "xyz", "a": 5, "z": 1.25, "y": -300, "x": 0.1},
            {"b": "é" * 40, "a": -1, "z": 0.1, "y": 2**40, "x": -1e300},
            {"b": "s" * 300, "a": -40, "z": 1e-30, "y": -(2**40), "x": 0.0},
            {"b": "", "a": 70000, "z": 2.0, "y": 200, "x": 3.5},
        ]],
        None,
    ),
    "one array of ints": (
        {"v": {"type": "int32", "shape": [-1]}},
        [[{"v": np.array([1, -2, 300, 70000, -(2**31)], np.int32)},
          {"v": np.arange(3, dtype=np.int32)}]],
        None,
    ),
    "long ints": (
        {"v": {"type": "int64", "shape": [2, -1]}},
        [[{"v": np.array([[1, -2, 300, 70000], [-(2**31), 2**31, -(2**63), 2**63 - 1]])}]],
        None,
    ),
    "arrays of reals": (
        {"v": {"type": "float64", "shape": [-1]}, "u": {"type": "float32", "shape": [2, 2]}},
        [[{"v": np.array([1.5, -2]), "u": np.eye(2, dtype=np.float32)}]],
        None,
    ),
    "bytes": ({"b": {"type": "bytes"}}, [[{"b": b"xyz"}, {"b": b"\1\0\2"}]], None),
    "everything": (
        {"name": {"type": "string"}, "label": {"type": "int32"}, "image": {"type": "bytes"},
         "box": {"type": "int64", "shape": [-1, 4]}},
        [[{"name": f"{i}.jpg", "label": 3 * i - 4, "image": bytes(range(1, 10 * i + 5)),
           "box": np.arange(4 * (i + 1)).reshape(-1, 4) * 100} for i in range(4)]],
        ["label", "name"],
    ),
    "several pages": (
        {"a": {"type": "int32"}, "d": {"type": "bytes"}, "t": {"type": "string"}},
        [[{"a": i, "d": bytes([i + 1]) * 9000, "t": "x" * (4000 if i % 3 else 10)}
          for i in range(12)]],
        None,
    ),
}  # fmt: skip


def write(writer, schema, calls, index):
    """Write a case with small pages."""
    writer.set_header_size(16 * 1024)
    writer.set_page_size(32 * 1024)
    writer.add_schema(schema, "a case")
    if index:
        writer.add_index(index)
    for rows in calls:
        writer.write_raw_data(rows)
    writer.commit()


def listed(dataset):
    """Return the columns, and the rows as lists; bytes as ints."""
    rows = dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    return dataset.get_col_names(), [
        [list(x.tobytes()) if x.dtype.kind == "S" else x.tolist() for x in row] for row in rows
    ]
