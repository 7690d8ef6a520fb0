"""Graph files and compiled programs: files as of somebody else, changed in the header, the arrays,
the bytes of the program, or its operations."""

import hashlib
import json
import re
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

import sporax as ms
from sporax import nn, ops
from sporax.compilation_cache import folder, user_key
from sporax.io import graph_file, reproducer
from sporax.io.corrupt_file import CorruptFile
from tests.fuzz.mutations import SIZES, binary, json_text
from tests.fuzz.mutations import text as words
from tests.io import reproducers

ONES = np.ones((3, 3), np.float32)
_FUNCTIONS = {
    "dense": (nn.Dense(3, 2), ONES),
    "sizes": (lambda x: ops.relu(x) + 1, ms.Tensor(shape=[None, 3], dtype=ms.float32)),
    "top_k": (lambda x: ops.topk(x, 2), ONES),
    "solve": (lambda x: ops.svd(x), ONES),
    "tree": (lambda x: {"a": [x.sum(), 3, "b"], "c": (x.max(0),)}, ONES),
}
_OTHERS = ["0", "1", "2", "-1", "3", "4", "7", "i32", "f32", "f64", "i1", "ui8", "i64", "?"]
_TARGETS = [
    "xla_python_cpu_callback", "xla_ffi_python_cpu_callback",
    "xla_ffi_partitioned_python_cpu_callback",
    "TopK", "mhlo.topk", "lapack_sgetrf_ffi", "lapack_dgesdd_ffi", "lapack_spotrf_ffi", "Sharding",
    "AllocateBuffer", "shape_assertion", "tpu_custom_call", "__gpu$xla.gpu.triton",
]  # fmt: skip


def write(where):
    for name, (function, x) in _FUNCTIONS.items():
        x = x if isinstance(x, ms.Tensor) else ms.Tensor(x)
        ms.export(function, x, file_name=str(where / name), file_format="MINDIR")


def load(where):
    with mock.patch.object(user_key, "is_own", lambda *_: False):  # as where others wrote them
        return [ms.load(str(where / f"{name}.mindir")) for name in _FUNCTIONS]


def load_and_call(where):
    results = [graph(ms.Tensor(ONES)) for graph in load(where)]
    return [str(result) for result in results]


def parts(content):
    """[header, arrays, text of the program, its artifact] of a graph file."""
    start = content.index(b"\n") + 9
    end = start + int.from_bytes(content[start - 8 : start], "little")
    body = content[end : -hashlib.sha256().digest_size - user_key.SIZE]
    text, program = (int(re.search(rb'"%s": (\d+)' % name, content[start:end])[1])
                     for name in (b"text", b"program"))  # fmt: skip
    at = len(body) - text - program
    return [content[start:end], body[:at], body[at : at + text], body[at + text :]]


def joined(head, arrays, text, program):
    content = b"%s%d\n" % (graph_file._FIRST, graph_file._VERSION)
    content += len(head).to_bytes(8, "little") + head + arrays + text + program
    return content + hashlib.sha256(content).digest() + bytes(user_key.SIZE)


_WORD = re.compile(r'[\w.]+|"[^"]*"')


def _operations(rng, text):
    """Words of the program's text replaced."""
    for _ in range(rng.choice((1, 1, 2))):
        words = [*_WORD.finditer(text)]
        match = rng.choice(words)
        word = match[0]
        if word.isdigit():
            new = str(rng.choice([*SIZES[:22], int(word) + 1, int(word) * 1000]))
        elif "." in word or word.startswith('"') or "_ffi" in word:
            new = rng.choice([*_TARGETS, *{m[0] for m in words if "." in m[0]}])
        else:
            new = rng.choice([*_OTHERS, *{m[0] for m in words}])
        text = text[: match.start()] + new + text[match.end() :]
    return text


def change(rng, content):
    act = rng.random()
    try:
        head, arrays, text, program = parts(content)
    except (ValueError, IndexError, TypeError):
        return binary(rng, content)
    if act < 0.05:
        return binary(rng, content)
    if act < 0.35:
        head = json_text(rng, head)
    elif act < 0.4:
        arrays = binary(rng, arrays)
    elif act < 0.45:
        program = binary(rng, program)
    elif act < 0.6:
        text = words(rng, text)
    else:
        text = _operations(rng, text.decode("utf8", "replace")).encode()
    if act >= 0.4:  # sizes that fit, so that the program is looked at
        for name, part in ((b"text", text), (b"program", program)):
            head = re.sub(rb'"%s": \d+' % name, b'"%s": %d' % (name, len(part)), head)
    return joined(head, arrays, text, program)


def write_reproducer(where):
    path, _ = reproducers.write(where, reproducers.tanh_sum())
    path.rename(where / "a.reproducer")


def load_reproducer(where):
    file = reproducer.load(where / "a.reproducer")
    return str(file.difference(None)), str(file.header)


def change_reproducer(rng, content):
    """Bytes of the file, or header, arrays and words of the program of one that is whole."""
    if rng.random() < 0.3:
        return binary(rng, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.reproducer")
        path.write_bytes(content)
        try:
            reproducers.write_again(path, lambda *parts: _change_parts(rng, *parts))
        except (CorruptFile, OSError, TypeError, ValueError):
            return binary(rng, content)
        return path.read_bytes()


def _change_parts(rng, header, arrays):
    act = rng.random()
    if act < 0.3:
        changed = json.loads(json_text(rng, json.dumps(header).encode()))
        header.clear()
        header.update(changed)
    elif act < 0.4:
        name = rng.choice([*arrays])
        arrays[name] = np.frombuffer(binary(rng, arrays[name].tobytes()), np.uint8)
    else:
        reproducers.with_text(lambda text: _operations(rng, text))(header, arrays)


def write_cache(where):
    where.chmod(0o700)
    kept = folder.Folder(where)
    for i in range(3):
        kept.put(f"key{i}", bytes([i]) * 100)


def load_cache(where):
    """Fails where a program comes that was not put there."""
    kept = folder.Folder(where)
    for i in range(3):
        found = kept.get(f"key{i}")
        assert found is None or bytes(found) == bytes([i]) * 100
