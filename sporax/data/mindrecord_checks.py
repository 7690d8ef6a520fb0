"""Checks of the header, the index and the rows of an untrusted MindRecord file. Each check raises
ValueError with the reason."""

import re
from functools import partial
from pathlib import PurePath

import numpy as np

from sporax._src.diagnosis.argument_kinds import DICT, STR, Kind
from sporax._src.diagnosis.rules import message, rejection, require

_TYPES = "int32", "int64", "float32", "float64", "string", "bytes"
_KINDS = {"string": str, "int32": int, "int64": int, "float32": float, "float64": float}
_BIGGEST = 2**40  # bytes of a header or a page


def _check(kind, **fields):
    """Raise ValueError for a field that is not of this kind."""
    for name, value in fields.items():
        if not kind.accepts(value):
            raise rejection("part-must-be", argument=name, kind=kind.words(), got=value)


def _is_int(value, least, end):
    return type(value) is int and least <= value < end


def _are(test, values):
    return isinstance(values, list) and all(map(test, values))


_ANY_INT = Kind(partial(message, "an-int"), lambda value: type(value) is int)
_SIZE = Kind(partial(message, "a-size"), lambda value: _is_int(value, 1, _BIGGEST))
_FIELDS = Kind(partial(message, "fields"), lambda value: isinstance(value, dict) and bool(value))
_OBJECTS = Kind(
    partial(message, "list-of-objects"),
    lambda value: isinstance(value, list) and isinstance(next(iter(value), None), dict),
)


def check_header(header):
    """Check the JSON object at the beginning of a file."""
    _check(DICT, header=header)
    _check(_SIZE, header_size=header.get("header_size"), page_size=header.get("page_size"))
    described = header.get("schema")
    _check(_OBJECTS, schema=described)
    schema, blobs = described[0].get("schema"), described[0].get("blob_fields")
    _check(_FIELDS, schema=schema)
    for name, kind in schema.items():
        _check_field(name, kind)
    arrays = sorted(n for n, kind in schema.items() if kind["type"] == "bytes" or "shape" in kind)
    fits = _are(STR.accepts, blobs) and sorted(blobs) == arrays
    require(fits, "blobs-of-schema", blob_fields=blobs, arrays=arrays)
    _check_names(header, schema)


_PAGE = "end_row_id", "page_id", "page_size", "page_type_id"
_LARGEST = {"header_size": 2**27, "page_size": 2**28}  # of files that are appended to


def check_to_be_continued(header):
    """Check what else a writer needs in the header of a file to append to it."""
    for name, largest in _LARGEST.items():
        size = header[name]
        require(size <= largest, "size-at-most", argument=name, most=largest, got=size)
    _check(_PAGES, page=header.get("page"))
    _check(_ANY_INT, compression_size=header.get("compression_size"))
    _check(STR, desc=header["schema"][0].get("desc"))


def _is_page(page):
    return (
        isinstance(page, dict)
        and page.get("page_type") in ("RAW_DATA", "BLOB_DATA")
        and all(_is_int(page.get(name), 0, _BIGGEST) for name in _PAGE)
    )


_PAGES = Kind(partial(message, "list-of-pages"), lambda pages: _are(_is_page, pages))


def _check_field(name, kind):
    require(re.fullmatch(r"\w+", name), "name-of-field", got=name)
    is_known = isinstance(kind, dict) and kind.get("type") in _TYPES
    require(is_known, "type-of-header-field", argument=name, types=_TYPES, got=kind)
    shape = kind.get("shape", [])
    fits = _are(lambda n: _is_int(n, -1, _BIGGEST), shape) and shape.count(-1) < 2
    fits = fits and ("shape" not in kind or kind["type"] in _TYPES[:4])
    require(fits, "shape-of-header-field", argument=name, got=kind)


def _check_names(header, schema):
    """Check the names of the other files, all in one folder, and the fields of the index."""

    def is_name(name):
        fits = isinstance(name, str) and name not in ("", ".", "..") and "\0" not in name
        return fits and PurePath(name).name == name

    names = header.get("shard_addresses")
    require(names and _are(is_name, names), "names-of-files", shard_addresses=names)
    fields = header.get("index_fields") or []
    fits = _are(lambda f: isinstance(f, dict) and f.get("index_field") in [*schema], fields)
    require(fits, "fields-of-index", index_fields=fields)


def checked_locations(rows, width):
    """Return the index rows, (row, page, start, end, page, start, end), sorted and without row."""
    wrong = [row for row in rows if any(type(x) is not int for x in row)]
    require(not wrong, "places-ints", got=wrong[:1])
    locations = np.array(rows, np.int64).reshape(-1, width)
    wrong = locations[((locations < 0) | (locations >= _BIGGEST)).any(1)]
    require(not len(wrong), "places-at-least-0", got=wrong[:1].tolist())
    return locations[np.argsort(locations[:, 0], kind="stable"), 1:]


def checked_row(fields, schema):
    """Return {field: value} of a row, checked against the schema."""
    _check(DICT, fields=fields)
    for name, kind in schema.items():
        if name not in fields:
            raise rejection("row-has-field", name=name, got=sorted(map(str, fields)))
        if "shape" in kind or kind["type"] == "bytes":
            continue
        value, wanted = fields[name], _KINDS[kind["type"]]
        fits = type(value) in ((int, float) if wanted is float else (wanted,))
        if fits and wanted is int:
            limits = np.iinfo(kind["type"])
            fits = limits.min <= value <= limits.max
        require(fits, "part-must-be", argument=name, kind=kind["type"], got=value)
    return {name: fields[name] for name in fields if name in schema}
