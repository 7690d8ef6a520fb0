"""A single MindRecord file in MindSpore's format: its header, pages and index.

A file begins with the length of a JSON text (8 bytes, little-endian) and the text; at `header_size`
pages of `page_size` bytes follow. A row has a part in a RAW_DATA page, its numbers and strings in
MessagePack, and one in a BLOB_DATA page, its bytes and arrays; each begins with its length. An
SQLite file beside it, `.db`, holds the positions of each row.
"""

import contextlib
import errno
import json
import os
import sqlite3
import struct
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src import operating_system
from sporax._src.diagnosis.rules import message, rejection, require
from sporax.data import msgpack
from sporax.data.mindrecord_checks import (
    check_header,
    check_to_be_continued,
    checked_locations,
    checked_row,
)
from sporax.data.mindrecord_encryption import encrypt_if_set, opened_plain
from sporax.io import atomic_write, untrusted_file
from sporax.io.untrusted_file import MALFORMED, cause

_COLUMNS = (
    "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END",
    "PAGE_ID_BLOB", "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
_SQL = {"int32": "INTEGER", "int64": "INTEGER", "string": "TEXT"}  # others are REAL
_COMPRESSED = "int32", "int64"  # since version 3.0
_VERSION = "3.0"


def is_blob(kind):
    """Return True if a field of the schema is bytes or an array."""
    return kind["type"] == "bytes" or "shape" in kind


def damaged(path, rule, **fields):
    """Return the error for a damaged file, or one of another format; `rule`: a phrase's id."""
    reason = message(rule, **fields)
    return rejection("file-data-mindrecord", "mindrecord", path=path, reason=reason)


# ints in as many bytes as they need ----------------------------------------------------------


def compress(array):
    """Encode an array of ints: their count (4 bytes, big-endian), the byte width of each as a power
    of two in 2 bits, and the ints themselves."""
    flat = np.ravel(array).astype(np.int64)
    kinds = np.zeros(flat.size, np.int64)
    for power, kind in enumerate((np.int8, np.int16, np.int32)):
        limits = np.iinfo(kind)
        kinds[(flat < limits.min) | (flat > limits.max)] = power + 1
    padded = np.append(kinds, np.zeros(-len(kinds) % 4, np.int64)).reshape(-1, 4)
    control = (padded << np.array([6, 4, 2, 0])).sum(1).astype(np.uint8)
    encoded = [x.astype(f"<i{2**k}").tobytes() for x, k in zip(flat, kinds.tolist(), strict=True)]
    return struct.pack(">I", flat.size) + control.tobytes() + b"".join(encoded)


def uncompress(content, dtype):
    """Decode the ints that `compress` encoded."""
    (count,) = struct.unpack_from(">I", content)
    first = 4 + -(-count // 4)
    require(first + count <= len(content), "ints-bytes", count=count, count2=len(content))
    control = np.frombuffer(content, np.uint8, first - 4, 4)
    kinds = ((control[:, None] >> np.array([6, 4, 2, 0])) & 3).ravel()[:count]
    widths = 2**kinds
    starts = first + np.cumsum(widths) - widths
    data, numbers = np.frombuffer(content, np.uint8), np.empty(count, dtype)
    for width in (1, 2, 4, 8):
        chosen = np.flatnonzero(widths == width)
        taken = np.ascontiguousarray(data[starts[chosen, None] + np.arange(width)])
        numbers[chosen] = taken.view(f"<i{width}")[:, 0]
    return numbers


# reading -------------------------------------------------------------------------------------


class RecordFile:
    """An existing file: its schema, and rows by index."""

    _file: Any = None

    def __init__(self, path):
        self.path = Path(path)
        self._file = opened_plain(self.path)  # kept open to read rows
        self.header = _header(self.path, self._file)
        described = self.header["schema"][0]
        self.schema, self.blobs = described["schema"], described["blob_fields"]
        self.locations = self._index()

    def __len__(self):
        return len(self.locations)

    def _index(self):
        database = Path(f"{self.path}.db")
        if not database.is_file():
            raise damaged(self.path, "has-index-beside", name=database.name)
        connection = sqlite3.connect(":memory:")
        try:
            with opened_plain(database) as file:
                return _locations(connection, file.read())
        except (sqlite3.Error, *MALFORMED) as error:
            raise damaged(database, "is-index", cause=cause(error)) from error
        finally:
            connection.close()

    def _chunk(self, page, start, end):
        offset = self.header["header_size"] + int(page) * self.header["page_size"] + int(start)
        size = os.fstat(self._file.fileno()).st_size
        content = b""
        if 0 < end - start <= size - offset:
            content = operating_system.read_at(self._file, int(end - start), offset)
        if len(content) < 8 or struct.unpack_from("<Q", content)[0] != len(content) - 8:
            raise damaged(self.path, "holds-row", size=end - start, at=offset)
        return content[8:]

    def row(self, i):
        """Return {field: number, string, bytes or array} of a row."""
        try:
            return self._row(self.locations[i])
        except MALFORMED as error:
            raise damaged(self.path, "has-damaged-row", i=i, cause=cause(error)) from error

    def _row(self, location):
        fields = msgpack.unpack(self._chunk(*location[:3]))
        blob = self._chunk(*location[3:])
        offset = 0
        for name in self.blobs:
            if len(self.blobs) > 1:
                (size,) = struct.unpack_from(">Q", blob, offset)
                offset += 8
            else:
                size = len(blob)
            fields[name] = self._blob(self.schema[name], blob[offset : offset + size])
            offset += size
        return checked_row(fields, self.schema)

    def _blob(self, kind, content):
        if "shape" not in kind:
            return content
        if kind["type"] in _COMPRESSED and self.header["version"] == _VERSION:
            return uncompress(content, kind["type"]).reshape(kind["shape"])
        return np.frombuffer(content, kind["type"]).reshape(kind["shape"])

    def close(self):
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    __del__ = close


def _locations(connection, content):
    """Return the row locations in a database; raises ValueError if its bytes cannot hold them."""
    require(content, "empty")  # SQLite would report a lack of memory
    connection.deserialize(content)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2**20)
    connection.execute("PRAGMA trusted_schema = OFF")
    kind = connection.execute("SELECT type FROM sqlite_master WHERE name = 'INDEXES'").fetchone()
    require(kind == ("table",), "table-indexes")
    most = len(content) // len(_COLUMNS)
    rows = connection.execute(f"SELECT ROW_ID, {', '.join(_COLUMNS)} FROM INDEXES LIMIT {most + 1}")
    listed = rows.fetchall()
    require(len(listed) <= most, "more-rows-bytes", most=most, count=len(content))
    return checked_locations(listed, 1 + len(_COLUMNS))


def header_to_be_continued(path, is_plain=False):
    """Return the header of a file to append to; `is_plain`: the file is not encrypted, even if a
    key is set."""
    try:
        with untrusted_file.opened(path) if is_plain else opened_plain(path) as file:
            header = _header(path, file)
        check_to_be_continued(header)
    except (OSError, ValueError) as error:
        raise damaged(path, "has-header-to-continue", cause=cause(error)) from None
    return header


def _header(path, file):
    start = file.read(8)
    length = int.from_bytes(start, "little") if len(start) == 8 else 0
    if not 0 < length <= os.fstat(file.fileno()).st_size - 8:
        raise damaged(path, "is-mindrecord")
    try:
        header = untrusted_file.json_of(file.read(length))
        check_header(header)
    except ValueError as error:
        raise damaged(path, "has-header", cause=error) from None
    return header


# writing -------------------------------------------------------------------------------------


_ENDS = "", ".db"  # name suffixes of a file and its index


class RecordWriter:
    """Writes a file row by row; `header`: the header of an existing file to append to."""

    def __init__(self, path, schema, desc, indexed, sizes, header=None):
        self.path, self.schema, self.desc, self.indexed = Path(path), schema, desc, indexed
        self.blobs = sorted(name for name, kind in schema.items() if is_blob(kind))
        self.header_size, self.page_size = sizes
        self.pages = header["page"] if header else []
        self.saved = header["compression_size"] if header else 0
        self.count = max((page["end_row_id"] for page in self.pages), default=0)
        self._open = {}  # type -> the page that rows go to
        self._rows = []  # of the index
        # a new file is moved to its path when it is finished
        self._temp_path = self.path if header else Path(f"{path}.part")
        with atomic_write.errors_named("FileWriter", path):
            self._file = open(self._temp_path, "r+b" if header else "w+b")  # noqa: SIM115 - by commit

    def add(self, row):
        """Write a row, which no header or index mentions before `commit`."""
        numbers = {n: row[n] for n in sorted(self.schema) if n not in self.blobs}
        raw = msgpack.pack(numbers or {"id": 0})
        blob = b"".join(self._blob_chunks(row)) if self.blobs else bytes(4)
        chunks = {kind: struct.pack("<Q", len(p)) + p
                 for kind, p in (("BLOB_DATA", blob), ("RAW_DATA", raw))}  # fmt: skip
        for chunk in chunks.values():
            most, got = self.page_size, len(chunk)
            require(got <= most, "row-fits-into-page", "write_raw_data", most=most, got=got)
        self._make_room({kind: len(chunk) for kind, chunk in chunks.items()})
        locations = {}
        for kind, chunk in chunks.items():
            page = self._open[kind]
            start = page["page_size"]
            with atomic_write.errors_named("FileWriter", self.path):
                self._file.seek(self.header_size + page["page_id"] * self.page_size + start)
                self._file.write(chunk)
            page["page_size"] = start + len(chunk)
            locations[kind] = page["page_id"], start, start + len(chunk)
        self._rows.append((
            self.count, *locations["RAW_DATA"], 0, *locations["BLOB_DATA"],
            *[x for name in self.indexed for x in (0, row[name])],
        ))  # fmt: skip
        self.count += 1
        self._open["BLOB_DATA"]["end_row_id"] = self.count

    def _blob_chunks(self, row):
        for name in self.blobs:
            value, kind = row[name], self.schema[name]
            if kind["type"] in _COMPRESSED:
                chunk = compress(value)
                self.saved += value.nbytes - len(chunk)
            else:
                chunk = value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes()
            if len(self.blobs) > 1:
                yield struct.pack(">Q", len(chunk))
            yield chunk

    def _make_room(self, sizes):
        """Begin new pages if a row's parts do not fit. A blob page is a group of rows; the raw page
        that holds their other parts lists the blob page's number and the group's offset."""
        full = {
            kind for kind, size in sizes.items()
            if kind not in self._open or self._open[kind]["page_size"] + size > self.page_size
        }  # fmt: skip
        if not full:
            return
        self._begin("BLOB_DATA", self.count, [{"id": 0, "offset": 0}])
        if "RAW_DATA" in full:
            self._begin("RAW_DATA", 0, [])
        raw, group = self._open["RAW_DATA"], self._open["BLOB_DATA"]["page_type_id"]
        raw["row_group_ids"].append({"id": group, "offset": raw["page_size"]})

    def _begin(self, kind, row, groups):
        number = sum(page["page_type"] == kind for page in self.pages)
        self._open[kind] = {
            "end_row_id": row, "page_id": len(self.pages), "page_size": 0, "page_type": kind,
            "page_type_id": number, "row_group_ids": groups, "shard_id": 0, "start_row_id": row,
        }  # fmt: skip
        self.pages.append(self._open[kind])

    def commit(self, shard, shards, append):
        """Write the header and index; `shards`: the names of all files of the set."""
        for page in self.pages:
            page["shard_id"] = shard
        header = {
            "header_size": self.header_size,
            "index_fields": [{"index_field": n, "schema_id": 0} for n in self.indexed] or None,
            "page": self.pages, "page_size": self.page_size, "compression_size": self.saved,
            "schema": [{"blob_fields": self.blobs, "desc": self.desc, "schema": self.schema}],
            "shard_addresses": shards, "shard_id": shard, "statistics": None, "version": _VERSION,
        }  # fmt: skip
        text = json.dumps(header, separators=(",", ":")).encode("utf8")
        size, most = len(text) + 8, self.header_size
        fields = {"path": self.path, "most": most, "got": size}
        require(size <= most, "header-fits-into-bytes", "commit", **fields)
        with atomic_write.errors_named("FileWriter", self.path):
            self._file.seek(0)
            self._file.write(struct.pack("<Q", len(text)) + text)
            self._file.truncate(max(self.header_size, self._file.seek(0, os.SEEK_END)))
            self._file.close()
            self._write_index(append)
            for end in _ENDS:
                encrypt_if_set(f"{self._temp_path}{end}")

    def publish(self):
        """Move the finished file and its index to their paths."""
        for end in _ENDS:
            os.replace(f"{self._temp_path}{end}", f"{self.path}{end}")

    def discard(self):
        """Delete a new file and its index; an existing file is kept."""
        with contextlib.suppress(OSError):  # flushing may fail
            self._file.close()
        if self._temp_path != self.path:
            for end in (*_ENDS, ".db-journal"):
                Path(f"{self._temp_path}{end}").unlink(missing_ok=True)

    def _write_index(self, append):
        database = Path(f"{self._temp_path}.db")
        if not append:
            database.unlink(missing_ok=True)
        fields = [
            (f"INC_{i}", f"{name}_0", _SQL.get(self.schema[name]["type"], "REAL"))
            for i, name in enumerate(self.indexed)
        ]
        columns = [f"{c} INT NOT NULL" for c in
                   ("ROW_ID", *_COLUMNS[:3], "ROW_GROUP_ID", *_COLUMNS[3:])]  # fmt: skip
        columns += [f"{inc} INT, {name} {kind}" for inc, name, kind in fields]
        keys = ["ROW_ID", *[inc for inc, _, _ in fields]]
        connection = sqlite3.connect(database)
        try:
            self._fill_index(connection, append, columns, keys, len(fields))
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the text may quote a damaged index
            raise OSError(errno.EIO, str(error)) from error
        finally:
            connection.close()

    def _fill_index(self, connection, append, columns, keys, fields):
        with connection:
            if not append:
                table = f"INDEXES ({', '.join(columns)}, PRIMARY KEY({', '.join(keys)}))"
                connection.execute(f"CREATE TABLE {table}")
                connection.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
                connection.execute("INSERT INTO SHARD_NAME VALUES (?)", (self.path.name,))
            marks = ", ".join("?" * (8 + 2 * fields))
            groups = {page["page_id"]: page["page_type_id"] for page in self.pages}
            rows = [(*row[:4], groups[row[5]], *row[5:]) for row in self._rows]
            connection.executemany(f"INSERT INTO INDEXES VALUES ({marks})", rows)
