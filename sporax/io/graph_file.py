"""Files of exported functions, see `program_file`: the signature, arrays, program and test vectors.

Only `sporax verify` runs the test vectors: loading a file compiles nothing, and a test vector's
program is compiled for the vector's sizes, with which the function may never be called.
"""

import functools

from sporax._src.capture.graph_capture.export.exported_graph import CLASSES, Exported, Spec
from sporax._src.core.to_host import on_host
from sporax.io import atomic_write, graph_file_2, portable_program, program_file, untrusted_file
from sporax.io.corrupt_file import rejection, require
from sporax.io.expectation import Expectation

_KINDS = "parameter", "tensor", "constant"  # kinds of arrays
_DEEPEST = 50  # nesting of containers


def write(path, graph, vectors, no_vectors):
    """Write an `Exported` with `Expectation`s, or the reason why there are none, atomically."""
    program, arrays = portable_program.stored(graph.program)
    header = {
        "name": graph.name,
        "arguments": graph.arguments,
        "inputs": portable_program.listed(graph.inputs),
        "result": graph.result,
        "outputs": portable_program.listed(graph.outputs),
        "arrays": [(kind, name) for kind, name, _ in graph.arrays],
        "vectors": [vector.tolerance for vector in vectors],
        "no vectors": no_vectors,
        "program": program,
    }
    arrays |= {f"{kind}/{name}": on_host(array) for kind, name, array in graph.arrays}
    for i, vector in enumerate(vectors):
        arrays |= vector.stored(f"vector{i}/")
    with atomic_write.errors_named("export", path):
        program_file.write(path, program_file.GRAPH, header, arrays)


def read(path):
    """Read the `Exported` of a file; raises CorruptFile."""
    return _opened(path)[0]


class TestedGraph:
    """A file whose test vectors can be run. `described`: its description, in lines. Raises
    CorruptFile."""

    def __init__(self, path):
        self.path = path
        self.graph, self.vectors, said = _opened(path)
        require(self.vectors, "has-no-test-vectors", "export-again", reason=said)
        self.described = [f"'{self.graph.name}', test vectors: {len(self.vectors)}", said]

    def difference(self, options):
        """Return the first `Difference` in a test vector, or None; see `Expectation.difference`."""
        arrays = [array for _, _, array in self.graph.arrays]
        for vector in self.vectors:
            difference = vector.difference(self.path, self.graph.program, arrays, options)
            if difference is not None:
                return difference
        return None


def _opened(path):
    """Return (`Exported`, `Expectation`s, writer or the reason why there are none) of a file;
    raises CorruptFile."""
    try:
        if graph_file_2.is_one(path):
            graph = _graph(path, *graph_file_2.read(path))
            return graph, [], f"it is of version {graph_file_2.VERSION}"
        contents = program_file.read(path, program_file.GRAPH)
        header = contents.header
        graph = _graph(path, header, *_unpacked(contents), contents.is_own)
        vectors = [
            Expectation.read(tolerance, contents.arrays, f"vector{i}/")
            for i, tolerance in enumerate(header["vectors"])
        ]
        return graph, vectors, f"written by {contents.writer}" if vectors else header["no vectors"]
    except OSError:
        raise
    except untrusted_file.MALFORMED as error:
        raise rejection("header-none", cause=untrusted_file.cause(error)) from error


def _unpacked(contents):
    """Return ([(kind, name, array)], function that restores the program from `Spec`s) of a file."""
    header, arrays, is_own, _ = contents
    named_arrays = [(kind, name, arrays[f"{kind}/{name}"]) for kind, name in header["arrays"]]
    restore = functools.partial(portable_program.restored, header["program"], arrays, is_own=is_own)
    portable_program.check_platform(tuple(header["program"]["platforms"]))
    return named_arrays, restore


def _graph(path, header, named_arrays, restore, is_own):
    """Build the `Exported` from a file's parts."""
    inputs, outputs = (portable_program.specs(header[key]) for key in ("inputs", "outputs"))
    _check_structure(header["arguments"], len(inputs))
    _check_structure(header["result"], len(outputs))
    fits = type(header["name"]) is str and all(kind in _KINDS for kind, _, _ in named_arrays)
    require(fits, "name-array-no-known")
    taken = [*inputs, *[Spec.from_aval(name, array) for _, name, array in named_arrays]]
    program = restore(inputs=taken, outputs=outputs)
    origin = None if is_own else path
    return Exported(
        header["name"], header["arguments"], inputs, header["result"], outputs, named_arrays,
        program, origin,
    )  # fmt: skip


def _check_structure(form, count):
    """Raise unless `form` has only containers and plain values as `structure` writes them, and
    `count` Tensors."""
    marks = _tensors(form, 0)
    require(marks == count, "tensors-file-damaged", marks=marks, count=count)


def _tensors(form, depth):
    """Return the number of Tensors in a structure."""
    ((kind, content),) = form.items()
    require(depth <= _DEEPEST, "containers-nested-deeper", deepest=_DEEPEST)
    if kind == "tensor":
        return 1
    if kind == "value" and isinstance(content, (bool, int, float, str, type(None))):
        return 0
    if kind == "object":
        name, content = content
        CLASSES[name]  # raises KeyError for another class
    elif kind not in ("dict", "list", "tuple"):
        raise rejection("containers-values-tensors", kind=kind)
    items = content if kind in ("list", "tuple") else content.values()
    return sum(_tensors(item, depth + 1) for item in items)
