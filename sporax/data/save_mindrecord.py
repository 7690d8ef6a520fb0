"""`Dataset.save`: writes a dataset's rows to MindRecord files."""

import numpy as np

from sporax.data import argument_checks as check
from sporax.data.mindrecord import FileWriter

# dtype of a column -> type of its field
_FIELDS = {
    **dict.fromkeys(("bool", "int8", "uint8", "int16", "uint16", "int32"), "int32"),
    **dict.fromkeys(("uint32", "int64", "uint64"), "int64"),
    "float16": "float32", "float32": "float32", "float64": "float64",
}  # fmt: skip
_AT_ONCE = 1000  # rows


def save(dataset, file_name, num_files, file_type):
    """Write the rows of one epoch."""
    if not isinstance(file_name, str):
        raise TypeError(
            f"For 'save', 'file_name' must be a str, but got {type(file_name).__name__}."
        )
    check.whole("save", "num_files", num_files, 1, 1000)
    check.one_of("save", "file_type", file_type, ("mindrecord",))
    writer = FileWriter(file_name, num_files)
    try:
        _write(dataset, writer)
    except BaseException:  # from a row, the disk or user code
        writer._discard()
        raise


def _write(dataset, writer):
    columns, schema, rows = dataset.get_col_names(), None, []
    for row in dataset._begin()():
        if schema is None:
            schema = {n: _field(n, array) for n, array in zip(columns, row, strict=True)}
            writer.add_schema(schema)
        named = zip(columns, row, strict=True)
        rows.append({name: _value(name, schema[name], array) for name, array in named})
        if len(rows) == _AT_ONCE:
            writer.write_raw_data(rows)
            rows = []
    if schema is None:
        raise RuntimeError("For 'save', the data set must have rows, but it has none.")
    writer.write_raw_data(rows)
    writer.commit()


def _field(name, array):
    if array.dtype.kind in "US":
        if array.size != 1:
            raise RuntimeError(
                f"For 'save', a text must be alone in its row, but column '{name}' has shape "
                f"{array.shape}."
            )
        return {"type": "string" if array.dtype.kind == "U" else "bytes"}
    if array.dtype.name not in _FIELDS:
        raise RuntimeError(
            f"For 'save', the columns must be numbers of at most 64 bits or texts, but '{name}' is "
            f"{array.dtype}."
        )
    kind = {"type": _FIELDS[array.dtype.name]}
    return kind | ({"shape": [-1, *array.shape[1:]]} if array.ndim else {})


def _value(name, field, array):
    if field["type"] == "string":
        return str(array.ravel()[0])
    if field["type"] == "bytes":
        return array.tobytes()
    if array.dtype == np.uint64 and (array > np.iinfo(np.int64).max).any():
        raise RuntimeError(f"For 'save', the numbers of column '{name}' must fit into Int64.")
    array = array.astype(field["type"])
    return array if "shape" in field else array[()]


__all__ = ["save"]
