"""Mutations of files by format, with updated checksums and lengths, so that loaders do not reject
the result early."""

import functools
import gzip
import io
import os
import pickle
import sqlite3
import struct
import zipfile
import zlib

from sporax.data import tfrecord_file
from sporax.io import encryption
from tests.fuzz.mutations import SIZES, VALUES, binary, joined, json_text, message, protobuf, text


@functools.cache
def _zeros(count):
    return zlib.compress(bytes(count), 1)


@functools.cache
def _gzipped_zeros(count):
    return gzip.compress(bytes(count), 1)


def png(rng, content):
    """A chunk of a PNG file, with its checksum."""
    if rng.random() < 0.2 or not content.startswith(b"\x89PNG"):
        return binary(rng, content)
    at, chunks = 8, []
    while at + 8 <= len(content):
        (size,) = struct.unpack_from(">I", content, at)
        chunks.append([content[at + 4 : at + 8], content[at + 8 : at + 8 + size]])
        at += 12 + size
    if not chunks:
        return binary(rng, content)
    at, act = rng.randrange(len(chunks)), rng.randrange(6)
    if act == 0:
        del chunks[at]
    elif act == 1:
        chunks.insert(rng.randrange(len(chunks)), chunks[at])
    elif act == 2 and chunks[0][0] == b"IHDR":
        sizes = [rng.choice((1, 4, 1000, 20_000, 70_000, 2**30, 2**31 - 1)) for _ in range(2)]
        chunks[0][1] = struct.pack(">II", *sizes) + chunks[0][1][8:]
    elif act == 3 and chunks[at][0] == b"IDAT":
        chunks[at][1] = _zeros(rng.choice((10, 10**5, 10**6, 10**7)))
    elif act == 4:
        kind = rng.choice((b"tEXt", b"iCCP", b"zTXt", b"iTXt", b"eXIf", b"acTL", b"fcTL", b"tRNS"))
        bomb = b"a\0\0" + _zeros(rng.choice((10, 10**7)))
        chunks.insert(rng.randint(1, len(chunks)), [kind, rng.choice((b"", b"\0", bomb))])
    else:
        chunks[at][1] = binary(rng, chunks[at][1])
    return content[:8] + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def gzipped(inner):
    """A mutation of what is compressed, or of the compressed bytes; and bombs."""

    def change(rng, content):
        act = rng.random()
        if act < 0.3:
            return binary(rng, content)
        if act < 0.31:
            return _gzipped_zeros(4 * 10**7)
        try:
            return gzip.compress(inner(rng, gzip.decompress(content)), 1)
        except (OSError, EOFError, zlib.error):
            return binary(rng, content)

    return change


def zipped(inner):
    """Members of a zip file: their content, names, sizes; `inner`: {end of a name: mutation}."""

    def change(rng, content):
        if rng.random() < 0.25:
            return binary(rng, content)
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as file:
                members = [[name, file.read(name)] for name in file.namelist()]
        except Exception:  # noqa: BLE001 - what a mutated file raises may be anything
            return binary(rng, content)
        if not members:
            return binary(rng, content)
        at, act = rng.randrange(len(members)), rng.randrange(8)
        if act == 0:
            del members[at]
        elif act == 1:
            members[at][0] = rng.choice(("../../x", "/etc/x", "", "a" * 60000, members[0][0]))
        elif act == 2:
            members[at][1] = bytes(rng.choice((0, 10**4, 10**4, 10**6)))
        else:
            ends = [end for end in inner if members[at][0].endswith(end)]
            members[at][1] = inner.get(ends[0] if ends else "", binary)(rng, members[at][1])
        made = io.BytesIO()
        method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        with zipfile.ZipFile(made, "w", method) as file:
            seen = set()
            for name, data in members:
                if name not in seen:
                    file.writestr(zipfile.ZipInfo(name), data, method)
                    seen.add(name)
        return made.getvalue()

    return change


_CELLS = ["NULL", "-1", "0", "9223372036854775807", "-9223372036854775808", "1e300", "'x'",
          "x'00ff'", "zeroblob(100000)", "1.5", "4294967296", "'1'", "1e999"]  # fmt: skip
_ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM r)"


def _sql(rng, db):
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = rng.choice(tables)
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    column, cell, act = rng.choice(columns), rng.choice(_CELLS), rng.randrange(9)
    names = ", ".join(columns)
    if act < 4:
        row = f"rowid = (SELECT rowid FROM {table} ORDER BY random() LIMIT 1)"
        return f"UPDATE OR IGNORE {table} SET {column} = {cell} WHERE {row}"
    if act == 4:
        return f"DELETE FROM {table} WHERE rowid % {rng.randint(1, 3)} = 0"
    if act == 5:
        return f"ALTER TABLE {table} RENAME COLUMN {column} TO other"
    if act == 6:
        return f"DROP TABLE {table}"
    values = ", ".join(rng.choice(("x", cell)) for _ in columns)
    endless = f"CREATE VIEW {table}({names}) AS {_ENDLESS} SELECT {values} FROM r"
    if act == 7:
        return f"DROP TABLE {table}; {endless}"
    copy = ", ".join(cell if name == column else name for name in columns)
    return (
        f"CREATE TABLE other AS SELECT {copy} FROM {table}; DROP TABLE {table}; "
        f"ALTER TABLE other RENAME TO {table}"
    )


def sqlite(rng, content):
    """Cells, rows, columns and tables of a database; or its bytes."""
    if rng.random() < 0.3:
        return binary(rng, content)
    db = sqlite3.connect(":memory:")
    try:
        db.deserialize(content)
        db.executescript(_sql(rng, db))
        return db.serialize()
    except (sqlite3.Error, OverflowError, IndexError, TypeError):
        return binary(rng, content)
    finally:
        db.close()


def summed(rng, content):
    """A checkpoint with a right checksum, mostly."""
    body = protobuf(rng, content[:-17])
    if rng.random() < 0.1:
        return binary(rng, content)
    return body + b"crc_num" + zlib.crc32(body).to_bytes(10, "big")


def state(rng, content):
    """A checkpoint of `Checkpointer`: its state is JSON, in UTF-32, and comes first or anywhere."""
    fields = message(content[:-17])
    at = rng.randrange(len(fields))
    for place, (_, _, value) in enumerate(fields):
        if (
            b"s\0\0\0t\0\0\0a\0\0\0t\0\0\0e\0\0\0" in value[:400]
            or b"p\0\0\0o\0\0\0s\0" in value[:400]
        ):
            at = place if rng.random() < 0.7 else at
    value = message(fields[at][2])
    try:
        tensor = message(value[1][2])
        if tensor[-2][2] == b"str" and rng.random() < 0.9:
            tree = tensor[-1][2].decode("utf-32-le")
            new = json_text(rng, tree.encode()).decode("utf8", "replace")
            tensor[-1][2] = new.encode("utf-32-le", "surrogatepass")
            value[1][2] = joined(tensor)
            fields[at][2] = joined(value)
        else:
            fields[at][2] = protobuf(rng, fields[at][2])
    except (ValueError, IndexError, TypeError):
        fields[at][2] = binary(rng, fields[at][2])
    body = joined(fields)
    return body + b"crc_num" + zlib.crc32(body).to_bytes(10, "big")


def _headed(rng, content, least):
    """A length of 8 bytes, JSON of that length, what fills it up to `least` bytes, data."""
    size = int.from_bytes(content[:8], "little")
    if rng.random() < 0.25 or size > len(content):
        return binary(rng, content)
    head = json_text(rng, content[8 : 8 + size])
    filled = head.ljust(max(len(head), least - 8), b"\0" if least else b" ")
    length = rng.choice(SIZES) % 2**64 if rng.random() < 0.05 else len(head)
    return length.to_bytes(8, "little") + filled + content[max(8 + size, least) :]


def npy(rng, content):
    """The header of a NumPy file, which is text of a length, or a pickle in its place."""
    act = rng.random()
    if act < 0.05:
        function, *args = rng.choice(_CALLS)
        return pickle.dumps([_Executing(function, *args)], rng.choice((0, 2, 4)))
    if act < 0.1:  # an array of objects
        function, *args = rng.choice(_CALLS)
        import numpy as np

        file = io.BytesIO()
        np.save(file, np.array([_Executing(function, *args), None]), allow_pickle=True)
        return file.getvalue()
    if act < 0.3 or len(content) < 10:
        return binary(rng, content)
    size = int.from_bytes(content[8:10], "little")
    head = text(rng, content[10 : 10 + size])[:65535]
    return content[:8] + len(head).to_bytes(2, "little") + head + content[10 + size :]


def encrypted(inner, key):
    """A mutation of the content of an encrypted MindRecord file, or of the pieces around it."""

    def change(rng, content):
        size = int.from_bytes(content[:4], "big")
        if rng.random() < 0.3 or len(content) < size + 18:
            return binary(rng, content)
        plain = inner(rng, encryption.decrypt(content[4 : 4 + size], key.encode()))
        piece = encryption.encrypt(plain, key.encode())
        return len(piece).to_bytes(4, "big") + piece + content[4 + size :]

    return change


def safetensors(rng, content):
    """The header of a safetensors file."""
    return _headed(rng, content, 0)


def record(rng, content):
    """The header of a MindRecord file, which pages of a fixed size follow; or the pages."""
    if rng.random() < 0.5:
        return _headed(rng, content, 16 * 1024)
    head, pages = content[: 16 * 1024], content[16 * 1024 :]
    at = rng.choice((0, 32 * 1024))
    page = pages[at : at + 300]
    return head + pages[:at] + binary(rng, page)[:300].ljust(300, b"\0") + pages[at + 300 :]


@functools.lru_cache(100)
def _checksum(data):
    return struct.pack("<I", tfrecord_file.masked(tfrecord_file.crc32c(data)))


def tfrecord(rng, content):
    """A record, with its checksums."""
    if rng.random() < 0.3 or len(content) > 10**5:
        return binary(rng, content)
    at, parts = 0, []
    while at + 12 <= len(content):
        (size,) = struct.unpack_from("<Q", content, at)
        parts.append(content[at + 12 : at + 12 + size])
        at += 16 + size
        if size > len(content):
            return binary(rng, content)
    parts = [part[:300] for part in parts] if rng.random() < 0.5 else parts
    at = rng.randrange(len(parts))
    parts[at] = protobuf(rng, parts[at])[:5000]
    found = b""
    for part in parts:
        length = rng.choice(SIZES) % 2**64 if rng.random() < 0.02 else len(part)
        head = struct.pack("<Q", length)
        found += head + _checksum(head) + part + _checksum(part)
    return found


def deflated(inner):
    """As `gzipped`, of zlib's format."""

    def change(rng, content):
        act = rng.random()
        if act < 0.3:
            return binary(rng, content)
        if act < 0.31:
            return _zeros(4 * 10**7)
        try:
            return zlib.compress(inner(rng, zlib.decompress(content)), 1)
        except zlib.error:
            return binary(rng, content)

    return change


MARK = "/tmp/fuzz_executed"  # a folder that what a file executes makes


class _Executing:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


_CALLS = [
    (os.mkdir, MARK), (os.system, f"mkdir {MARK}"), (exec, f"import os; os.mkdir({MARK!r})"),
    (eval, f"__import__('os').mkdir({MARK!r})"),
]  # fmt: skip


def pickled(rng, content):
    """A pickle that calls a function, needs memory, or is damaged."""
    act = rng.random()
    if act < 0.1:
        function, *args = rng.choice(_CALLS)
        return pickle.dumps({b"data": _Executing(function, *args)}, rng.choice((0, 2, 4)))
    if act < 0.15:
        return pickle.dumps({b"data": _Executing(bytearray, rng.choice(SIZES[:20]))}, 2)
    if act < 0.2:
        return b"\x80\x02" + b"(" * 10**5 + b"t" * 10**5 + b"."
    if act < 0.3:  # the arguments that build an array
        import numpy as np

        shape = rng.choice(SIZES), rng.choice(SIZES)
        call = _Executing(np._core.multiarray._reconstruct, np.ndarray, shape, b"b")
        return pickle.dumps({b"data": call, b"labels": [1]}, 2)
    if act < 0.4:
        key = rng.choice((b"labels", b"fine_labels", b"data", b"coarse_labels"))
        if MARK.encode() in content:
            return binary(rng, content)
        tree = pickle.loads(content)
        tree[key] = rng.choice(VALUES)
        return pickle.dumps(tree, 2)
    if act < 0.7:  # what is around the pixels
        return binary(rng, content[:200]) + content[200:]
    return binary(rng, content)


_ZIPPED = zipped({".pkl": pickled})


def torch(rng, content):
    """A PyTorch file: an archive, or pickles one after the other."""
    if content.startswith(b"PK"):
        return _ZIPPED(rng, content)
    act = rng.random()
    if act < 0.1:
        return pickled(rng, content)
    return binary(rng, content[:3000]) + content[3000:]
