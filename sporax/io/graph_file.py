"""Files of exported functions: a line that says what it is, a header in JSON, arrays, the program,
a checksum of it all, and a code of the user's key, by which a user's own files are known.

What a file of somebody else's says is checked against the rest of it; of the objects that
`jax.export` keeps in a file of its own, only the program's StableHLO is stored.
"""

import hashlib
import json
import math

import jax
import numpy as np
from jax import export as stablehlo

from sporax.compilation_cache import user_key
from sporax.core import dtype as dtypes
from sporax.core.jax_internals import module_text
from sporax.core.to_host import on_host
from sporax.graph_capture.export.exported_graph import CLASSES, Exported, Spec
from sporax.io import atomic_write, portable_program, untrusted_file
from sporax.io.corrupt_file import CorruptFile

_FIRST = b"sporax graph: StableHLO by jax.export, not MindSpore's MINDIR; version "
_VERSION = 2
_SUM = hashlib.sha256
_AGAIN = "export it again from the Python code, with this sporax"
_KINDS = "parameter", "tensor", "constant"  # of arrays
_DEEPEST = 50  # containers in containers


def write(path, graph):
    """Write an `Exported`, whole or not at all."""
    program = graph.program
    content = bytes(program.mlir_module_serialized)
    listing = module_text(content).encode()
    arrays = [(kind, name, on_host(array)) for kind, name, array in graph.arrays]
    header = {
        "name": graph.name,
        "jax": jax.__version__,
        "arguments": graph.arguments,
        "inputs": portable_program.listed(graph.inputs),
        "result": graph.result,
        "outputs": portable_program.listed(graph.outputs),
        "arrays": [
            (kind, name, array.shape, dtypes.from_numpy(array.dtype).name)
            for kind, name, array in arrays
        ],
        "text": len(listing),
        "program": len(content),
        "platforms": program.platforms,
        "convention": program.calling_convention_version,
        "kept": program.module_kept_var_idx,
        "sizes": program.uses_global_constants,
    }
    text = json.dumps(header).encode()
    chunks = [_FIRST, b"%d\n" % _VERSION, len(text).to_bytes(8, "little"), text]
    chunks += [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for _, _, a in arrays]
    total = _SUM()
    with (
        atomic_write.errors_named("export", path),
        atomic_write.replacing(path) as part,
        open(part, "wb") as file,
    ):
        for chunk in (*chunks, listing, content):
            total.update(chunk)
            file.write(chunk)
        digest = total.digest()
        file.write(digest + (user_key.code(b"graph", digest) or bytes(user_key.SIZE)))


def read(path):
    """The `Exported` of a file; raises CorruptFile."""
    try:
        content = memoryview(untrusted_file.content(path))
        return _read(path, content)
    except untrusted_file.MALFORMED as error:
        raise CorruptFile(f"its header is none: {untrusted_file.cause(error)}") from error


def _read(path, content):
    if content[: len(_FIRST)] != _FIRST:
        raise CorruptFile(
            "it does not begin as one (files of MindSpore's own cannot be read)", _AGAIN
        )
    version, start = _number(content, len(_FIRST))
    if version != _VERSION:
        raise CorruptFile(f"its version is {version}, and this sporax reads {_VERSION}", _AGAIN)
    end = len(content) - _SUM().digest_size - user_key.SIZE
    digest, code = content[end : end + _SUM().digest_size], content[end + _SUM().digest_size :]
    if end < start + 8 or _SUM(content[:end]).digest() != digest:
        raise CorruptFile("its checksum does not fit its contents")
    first = start + 8 + int.from_bytes(content[start : start + 8], "little")
    if first > end:
        raise CorruptFile("its header ends after its end")
    header = untrusted_file.json_of(bytes(content[start + 8 : first]).decode())
    inputs, outputs = (portable_program.specs(header[part]) for part in ("inputs", "outputs"))
    _check_structure(header["arguments"], len(inputs))
    _check_structure(header["result"], len(outputs))
    arrays, first = _arrays(header["arrays"], content[:end], first)
    size, rest = header["text"], end - first
    if type(size) is not int or not 0 <= size <= rest or header["program"] != rest - size:
        raise CorruptFile(f"its program has {rest} bytes, which its header does not say")
    is_own = user_key.is_own(code, b"graph", bytes(digest))
    text, program = content[first : first + size], content[first + size : end]
    program = bytes(program) if is_own else bytes(text).decode()
    return Exported(
        header["name"], header["arguments"], inputs, header["result"], outputs, arrays,
        _program(header, program, inputs, outputs, arrays, is_own), None if is_own else path,
    )  # fmt: skip


def _arrays(items, content, first):
    """((kind, name, array) of each item, where the next part begins)."""
    arrays = []
    for kind, name, shape, dtype in items:
        spec = Spec(*portable_program.spec(name, shape, dtype))
        count = math.prod(spec.shape)  # of a shape without unknown sizes, else a TypeError
        dtype = dtypes.to_numpy(dtypes.NAMES[spec.dtype.lower()])
        size = count * dtype.itemsize
        if kind not in _KINDS or size > len(content) - first:
            raise CorruptFile(f"its array {name!r:.80} has {size} bytes, which are not there")
        array = np.frombuffer(content[first : first + size], dtype).reshape(spec.shape)
        arrays.append((kind, name, array))
        first += size
    return arrays, first


def _program(header, content, inputs, outputs, arrays, is_own):
    """What `jax.export` returned. `content`: the artifact of a file of the user's own, which later
    versions of JAX read too, else the program's text, which is safe to parse."""
    portable_program.check_platform(tuple(header["platforms"]))
    low, high = stablehlo.minimum_supported_calling_convention_version, (
        stablehlo.maximum_supported_calling_convention_version)  # fmt: skip
    convention = header["convention"]
    if type(convention) is not int or not low <= convention <= high:
        raise CorruptFile(
            f"jax {jax.__version__} cannot read the program that jax {header['jax']!r:.40} wrote "
            f"(its calling convention is {convention!r:.40}, not in [{low}, {high}])", _AGAIN,
        )  # fmt: skip
    specs = [*inputs, *[Spec.of(name, array) for _, name, array in arrays]]
    parts = (content, None) if is_own else (None, content)
    return portable_program.exported(header, *parts, specs, outputs)


def _check_structure(form, count):
    """Raises unless containers and plain values are as `structure` writes them, with a mark for
    each of `count` Tensors."""
    marks = _tensors(form, 0)
    if marks != count:
        raise CorruptFile(f"it has {marks} Tensors where there are {count}")


def _tensors(form, depth):
    """The number of Tensors in a structure."""
    ((kind, content),) = form.items()
    if depth > _DEEPEST:
        raise CorruptFile(f"its containers are nested deeper than {_DEEPEST}")
    if kind == "tensor":
        return 1
    if kind == "value" and isinstance(content, (bool, int, float, str, type(None))):
        return 0
    if kind == "object":
        name, content = content
        CLASSES[name]  # a KeyError for another class
    elif kind not in ("dict", "list", "tuple"):
        raise CorruptFile(f"it has {kind!r:.40} where there are containers, values or Tensors")
    items = content if kind in ("list", "tuple") else content.values()
    return sum(_tensors(item, depth + 1) for item in items)


def _number(content, at):
    """(the number in the rest of a line, where the next line begins)."""
    line, _, _ = bytes(content[at : at + 20]).partition(b"\n")
    if not line.isdigit():
        raise CorruptFile("its first line is cut short")
    return int(line), at + len(line) + 1
