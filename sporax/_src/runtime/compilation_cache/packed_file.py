"""Files of `sporax pack`: compiled programs and facts about them, with an authentication code.

A file is a line with the format's name, an HMAC-SHA256 of all that follows, a JSON line, and the
contents that it lists. Compiled programs are executable code: nothing behind the code is looked at
before it is found to be right, for the user's key or one that the user names.
"""

import hmac
import json
import os
import secrets
from pathlib import Path

from sporax._src.diagnosis.rules import rejection, require
from sporax._src.runtime.compilation_cache import user_key

_HEAD = b"sporax pack 1\n"


def write(path, facts, contents, key):
    """Write a file of `facts` (for JSON) and `contents` ({name: bytes}), signed with `key`."""
    sizes = {name: len(content) for name, content in contents.items()}
    body = json.dumps({"facts": facts, "sizes": sizes}).encode() + b"\n"
    body += b"".join(contents.values())
    path = Path(path)
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        temporary.write_bytes(_HEAD + user_key.signed(key, body) + body)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path, key):
    """Return the (facts, contents) of a file that was signed with `key`. Raises ValueError."""
    data = memoryview(Path(path).read_bytes())
    start = len(_HEAD) + user_key.SIZE
    require(data[: len(_HEAD)] == _HEAD, "pack-file", path=str(path))
    code, body = data[len(_HEAD) : start], data[start:]
    if not hmac.compare_digest(user_key.signed(key, body), bytes(code)):
        raise rejection("pack-signed", path=str(path))
    end = bytes(body).index(b"\n")
    listed = json.loads(bytes(body[:end]))
    contents, begin = {}, end + 1
    for name, size in listed["sizes"].items():
        contents[name] = body[begin : begin + size]
        begin += size
    return listed["facts"], contents
