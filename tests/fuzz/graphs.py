"""Graph files and compiled programs: files as of somebody else, changed in the header, the arrays,
the bytes of the program, or its operations."""

import json
import re
import shutil
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

import sporax as ms
from sporax import nn, ops
from sporax._src.runtime.compilation_cache import folder, user_key
from sporax.io import program_file, verified_file
from sporax.io.corrupt_file import CorruptFile
from tests.fuzz.loader_table import RECORDED
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


def write_mindir(where):
    """Copy a file that MindSpore has written."""
    shutil.copy(RECORDED / "mindir" / "images.mindir", where / "net.mindir")


def load_mindir(where):
    return str(ms.load(str(where / "net.mindir")))


def verify(where):
    with mock.patch.object(user_key, "is_own", lambda *_: False):
        return [str(verified_file.load(where / f"{name}.mindir").difference(None))
                for name in _FUNCTIONS if name != "solve"]  # fmt: skip


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


def change(rng, content, kind=program_file.GRAPH):
    """Bytes of the file, or header, arrays and words of the program of one that is whole."""
    if rng.random() < 0.2:
        return binary(rng, content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        path.write_bytes(content)
        try:
            reproducers.write_again(path, lambda *parts: _change_parts(rng, *parts), kind)
        except (CorruptFile, OSError, TypeError, ValueError):
            return binary(rng, content)
        return path.read_bytes()


def change_reproducer(rng, content):
    return change(rng, content, program_file.REPRODUCER)


def _change_parts(rng, header, arrays):
    act = rng.random()
    if act < 0.3:
        changed = json.loads(json_text(rng, json.dumps(header).encode()))
        header.clear()
        header.update(changed)
    elif act < 0.4:
        name = rng.choice([*arrays])
        arrays[name] = np.frombuffer(binary(rng, arrays[name].tobytes()), np.uint8)
    elif act < 0.6:
        reproducers.with_text(lambda text: words(rng, text.encode()).decode("utf8", "replace"))(
            header, arrays
        )
    else:
        reproducers.with_text(lambda text: _operations(rng, text))(header, arrays)


def write_reproducer(where):
    path, _ = reproducers.write(where, reproducers.tanh_sum())
    path.rename(where / "a.reproducer")


def load_reproducer(where):
    file = verified_file.load(where / "a.reproducer")
    return str(file.difference(None)), file.described


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
