"""Checks of the header, the index and the rows of an untrusted MindRecord file. Each check raises
ValueError with the reason."""

import re
from pathlib import PurePath

import numpy as np

from sporax.diagnosis.rules import require

_TYPES = "int32", "int64", "float32", "float64", "string", "bytes"
_KINDS = {"string": str, "int32": int, "int64": int, "float32": float, "float64": float}
_BIGGEST = 2**40  # bytes of a header or a page


def _require(holds, rule, got):
    require(holds, "but-has", law=rule, got=got)


def check_header(header):
    """Check the JSON object at the beginning of a file."""
    _require(isinstance(header, dict), "its header must be an object", header)
    for name in ("header_size", "page_size"):
        size = header.get(name)
        _require(type(size) is int and 0 < size < _BIGGEST, f"'{name}' must be a size", size)
    described = header.get("schema")
    _require(isinstance(described, list) and described and isinstance(described[0], dict),
             "'schema' must be a list of objects", described)  # fmt: skip
    schema, blobs = described[0].get("schema"), described[0].get("blob_fields")
    _require(isinstance(schema, dict) and schema, "its fields must be an object", schema)
    for name, kind in schema.items():
        _check_field(name, kind)
    arrays = [n for n, kind in schema.items() if kind["type"] == "bytes" or "shape" in kind]
    _require(isinstance(blobs, list) and all(isinstance(n, str) for n in blobs)
             and sorted(blobs) == sorted(arrays),
             f"'blob_fields' must be its bytes and arrays, {sorted(arrays)}", blobs)  # fmt: skip
    _check_names(header, schema)


_PAGE = "end_row_id", "page_id", "page_size", "page_type_id"
_LARGEST = {"header_size": 2**27, "page_size": 2**28}  # of files that are appended to


def check_to_be_continued(header):
    """Check what else a writer needs in the header of a file to append to it."""
    for name, largest in _LARGEST.items():
        _require(header[name] <= largest, f"'{name}' must be {largest} at most", header[name])
    pages = header.get("page")
    _require(
        isinstance(pages, list) and all(
            isinstance(page, dict) and page.get("page_type") in ("RAW_DATA", "BLOB_DATA")
            and all(type(page.get(name)) is int and 0 <= page[name] < 2**40 for name in _PAGE)
            for page in pages
        ), "'page' must be a list of pages", pages,
    )  # fmt: skip
    saved, described = header.get("compression_size"), header["schema"][0].get("desc")
    _require(type(saved) is int, "'compression_size' must be an int", saved)
    _require(isinstance(described, str), "'desc' must be a text", described)


def _check_field(name, kind):
    _require(re.fullmatch(r"\w+", name), "a field's name must have letters and digits", name)
    _require(isinstance(kind, dict) and kind.get("type") in _TYPES,
             f"'{name}' must have one of the types {', '.join(_TYPES)}", kind)  # fmt: skip
    shape = kind.get("shape", [])
    _require(isinstance(shape, list) and all(type(n) is int and -1 <= n < 2**40 for n in shape)
             and shape.count(-1) < 2 and ("shape" not in kind or kind["type"] in _TYPES[:4]),
             f"'{name}' must have a shape of sizes, one of them -1 at most", kind)  # fmt: skip


def _check_names(header, schema):
    """Check the names of the other files, all in one folder, and the fields of the index."""
    names = header.get("shard_addresses")
    _require(
        isinstance(names, list) and names
        and all(isinstance(n, str) and n not in ("", ".", "..") and "\0" not in n
                and PurePath(n).name == n for n in names),
        "'shard_addresses' must name files in its own folder", names,
    )  # fmt: skip
    fields = header.get("index_fields") or []
    _require(isinstance(fields, list) and all(
        isinstance(f, dict) and f.get("index_field") in [*schema] for f in fields),
        "'index_fields' must be among its fields", fields)  # fmt: skip


def checked_places(rows, width):
    """Return the index rows, (row, page, start, end, page, start, end), sorted and without row."""
    _require(all(type(x) is int for row in rows for x in row), "places must be ints",
             next((row for row in rows if any(type(x) is not int for x in row)), None))  # fmt: skip
    places = np.array(rows, np.int64).reshape(-1, width)
    _require((places >= 0).all() and (places < 2**40).all(), "places must be at least 0",
             places[(places < 0).any(1)][:1].tolist())  # fmt: skip
    return places[np.argsort(places[:, 0], kind="stable"), 1:]


def checked_row(fields, schema):
    """Return {field: value} of a row, checked against the schema."""
    _require(isinstance(fields, dict), "its fields must be named", fields)
    for name, kind in schema.items():
        _require(name in fields, f"it must have '{name}'", sorted(map(str, fields)))
        if "shape" in kind or kind["type"] == "bytes":
            continue
        value, wanted = fields[name], _KINDS[kind["type"]]
        allowed = (int, float) if wanted is float else (wanted,)
        _require(type(value) in allowed, f"'{name}' must be {kind['type']}", value)
        if wanted is int:
            limits = np.iinfo(kind["type"])
            _require(limits.min <= value <= limits.max, f"'{name}' must be {kind['type']}", value)
    return {name: fields[name] for name in fields if name in schema}
