"""Files of exported functions: a line that says what it is, a header in JSON, arrays, the program,
and a checksum of it all."""

import hashlib
import json
import math

import jax
import numpy as np
from jax import export as stablehlo

from sporax.core import dtype as dtypes
from sporax.graph_capture.export.exported_graph import Exported, Spec
from sporax.io import atomic_write
from sporax.io.corrupt_file import CorruptFile

_FIRST = b"sporax graph: StableHLO by jax.export, not MindSpore's MINDIR; version "
_VERSION = 1
_SUM = hashlib.sha256
_AGAIN = "export it again from the Python code, with this sporax"


def write(path, graph):
    """Write an `Exported`, whole or not at all."""
    program = bytes(graph.program.serialize(vjp_order=0))
    arrays = [(kind, name, np.asarray(array)) for kind, name, array in graph.arrays]
    header = {
        "name": graph.name,
        "jax": jax.__version__,
        "arguments": graph.arguments,
        "inputs": _listed(graph.inputs),
        "result": graph.result,
        "outputs": _listed(graph.outputs),
        "arrays": [
            (kind, name, array.shape, dtypes.from_numpy(array.dtype).name)
            for kind, name, array in arrays
        ],
        "program": len(program),
    }
    text = json.dumps(header).encode()
    chunks = [_FIRST, b"%d\n" % _VERSION, len(text).to_bytes(8, "little"), text]
    chunks += [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for _, _, a in arrays]
    total = _SUM()
    with atomic_write.replacing(path) as part, open(part, "wb") as file:
        for chunk in (*chunks, program):
            total.update(chunk)
            file.write(chunk)
        file.write(total.digest())


def read(path):
    """The `Exported` of a file; raises CorruptFile."""
    with open(path, "rb") as file:
        content = memoryview(file.read())
    if content[: len(_FIRST)] != _FIRST:
        raise CorruptFile(
            "it does not begin as one (files of MindSpore's own cannot be read)", _AGAIN
        )
    version, start = _number(content, len(_FIRST))
    if version != _VERSION:
        raise CorruptFile(f"its version is {version}, and this sporax reads {_VERSION}", _AGAIN)
    size = _SUM().digest_size
    if len(content) < start + 8 + size or _SUM(content[:-size]).digest() != content[-size:]:
        raise CorruptFile("its checksum does not fit its contents")
    first = start + 8 + int.from_bytes(content[start : start + 8], "little")
    header = json.loads(bytes(content[start + 8 : first]))
    arrays = []
    for kind, name, shape, dtype in header["arrays"]:
        dtype = dtypes.to_numpy(dtypes.NAMES[dtype.lower()])
        count = math.prod(shape)
        array = np.frombuffer(content, dtype, count, first).reshape(shape)
        arrays.append((kind, name, array))
        first += array.nbytes
    program = bytearray(content[first : first + header["program"]])
    return Exported(
        header["name"], header["arguments"], _specs(header["inputs"]), header["result"],
        _specs(header["outputs"]), arrays, _deserialized(program, header["jax"]),
    )  # fmt: skip


def _deserialized(program, version):
    try:
        module = stablehlo.deserialize(program)
    except (ValueError, NotImplementedError) as cause:
        raise CorruptFile(
            f"jax {jax.__version__} cannot read the program that jax {version} wrote ({cause})",
            _AGAIN,
        ) from None
    here = {"gpu": ("cuda", "rocm")}.get(jax.default_backend(), (jax.default_backend(),))
    if not set(here) & set(module.platforms):
        raise CorruptFile(
            f"its program is for {', '.join(module.platforms)}, and this is {here[0]}",
            "export it on this device, or choose another with 'set_device'",
        )
    return module


def _listed(specs):
    return [(spec.name, spec.shape, spec.dtype) for spec in specs]


def _specs(items):
    return [Spec(*item) for item in items]


def _number(content, at):
    """(the number in the rest of a line, where the next line begins)."""
    line, _, _ = bytes(content[at : at + 20]).partition(b"\n")
    if not line.isdigit():
        raise CorruptFile("its first line is cut short")
    return int(line), at + len(line) + 1
