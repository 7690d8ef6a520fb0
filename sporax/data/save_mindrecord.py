"""`Dataset.save`: writes a dataset's rows to MindRecord files."""

import numpy as np

from sporax._src.diagnosis.argument_kinds import INT, STR, one_of, within
from sporax._src.diagnosis.rules import require
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
    STR("save", file_name=file_name)
    within(1, 1000, INT)("save", num_files=num_files)
    one_of("mindrecord")("save", file_type=file_type)
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
    require(schema is not None, "data-set-rows-none", "save")
    writer.write_raw_data(rows)
    writer.commit()


def _field(name, array):
    if array.dtype.kind in "US":
        require(array.size == 1, "text-alone-row-column", "save", name=name, shape=array.shape)
        return {"type": "string" if array.dtype.kind == "U" else "bytes"}
    fits = array.dtype.name in _FIELDS
    require(fits, "columns-numbers-at-most-64", "save", name=name, dtype=array.dtype)
    kind = {"type": _FIELDS[array.dtype.name]}
    return kind | ({"shape": [-1, *array.shape[1:]]} if array.ndim else {})


def _value(name, field, array):
    if field["type"] == "string":
        return str(array.ravel()[0])
    if field["type"] == "bytes":
        return array.tobytes()
    fits = array.dtype != np.uint64 or not (array > np.iinfo(np.int64).max).any()
    require(fits, "numbers-column-fit-into", "save", name=name)
    array = array.astype(field["type"])
    return array if "shape" in field else array[()]


__all__ = ["save"]
