"""Files of exported graphs: those of each supported JAX are loaded by every other one, and what is
in them is what NumPy computes."""

from pathlib import Path
from unittest import mock

import ml_dtypes
import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax._src.core import jax_internals
from sporax._src.runtime.compilation_cache import user_key
from sporax._src.workbench.cli import main
from sporax.io import graph_vectors, program_file, verified_file
from sporax.io.portable_program import ARTIFACT, TEXT
from tests.io.graph_file_writer import Net, results
from tests.io.reproducers import with_text, write_again

FILES = sorted((Path(__file__).parent / "graph_files").glob("*.mindir"))
X = np.linspace(-2, 2, 15, dtype=np.float32).reshape(5, 3)


def same(found, expected):
    assert found.keys() == expected.keys() and found["sizes"] == expected["sizes"]
    for name in ("rows", "sum"):
        np.testing.assert_allclose(found[name].asnumpy(), expected[name], rtol=1e-5, atol=1e-6)


def export(folder, function, *inputs):
    path = folder / "f.mindir"
    ms.export(function, *inputs, file_name=str(path), file_format="MINDIR")
    return path


def test_there_is_a_file_of_each_version():
    names = {path.stem for path in FILES}
    assert names == {"jax_0.10.2", "jax_0.11.0", "jax_0.11.2", "jax_0.12.0.1", "version_2"}
    assert all(path.stat().st_size < 20_000 for path in FILES)


@pytest.mark.parametrize("is_own", [True, False], ids=["artifact", "text"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_of_other_versions(path, is_own):
    """As the user's own, whose artifact is read, and as somebody else's, whose text is."""
    with mock.patch.object(user_key, "is_own", lambda *_: is_own):
        graph = ms.load(str(path))
    same(graph(Tensor(X), 2.0), results(X))
    same(graph(Tensor(X[:1]), 2.0), results(X[:1]))


@pytest.mark.parametrize("path", FILES[:-1], ids=lambda path: path.stem)
def test_their_vectors(path, capsys):
    assert main(["verify", str(path)]) == 0
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == "'Net', test vectors: 2" and third.endswith(": equal")
    assert f"jax {path.stem.removeprefix('jax_')}, jaxlib" in second


# test vectors -----------------------------------------------------------------------------------


def test_vectors_are_of_numpy(tmp_path):
    rows = Tensor(shape=[None, 3], dtype=ms.float32)
    for vector in verified_file.load(export(tmp_path, Net(), rows, 2.0)).vectors:
        expected = results(vector.inputs[0])
        for name, found in zip(("rows", "sum"), vector.expected, strict=True):
            np.testing.assert_allclose(found, expected[name], rtol=1e-5, atol=1e-6)


def test_inputs_of_other_dtypes(tmp_path):
    """Whole numbers are 0 or 1, so that they may be indices."""
    table = np.arange(6).reshape(2, 3) * 1.5
    held = Tensor(np.array([1.5, -2], np.float32)).astype(ms.bfloat16)

    def function(i, x, pair):
        return Tensor(table)[i], x * held, {"flag": pair[0].logical_not(), "n": pair[1] * 2}

    pair = [Tensor([True, False]), Tensor(np.array([3, 4], np.uint8))]
    whole, x = Tensor(np.array([1, 0, 1], np.int32)), Tensor(np.ones((3, 2))).astype(ms.bfloat16)
    path = export(tmp_path, function, whole, x, pair)
    file = verified_file.load(path)
    assert file.difference(None) is None and len(file.vectors) == 2
    vector = file.vectors[0]
    assert vector.inputs[0].max() <= 1 and vector.inputs[0].min() >= 0
    dtypes = [a.dtype.name for a in vector.expected]
    assert dtypes == ["float64", "bfloat16", "bool", "uint8"]
    np.testing.assert_array_equal(vector.expected[0], table[vector.inputs[0]])
    found = ms.load(str(path))(whole, x, pair)[0]
    np.testing.assert_array_equal(found.asnumpy(), table[[1, 0, 1]])


COMPLEX = np.complex128, np.complex64


@pytest.mark.parametrize("dtype", [*COMPLEX, ml_dtypes.float8_e4m3fn, np.uint16])
def test_arrays_of_all_dtypes(dtype, tmp_path):
    table = (np.arange(6).reshape(2, 3) * (1 + 2j if dtype in COMPLEX else 1)).astype(dtype)
    path = export(tmp_path, lambda x: (x, Tensor(table)), Tensor([1.0]))
    for is_own in (True, False):
        with mock.patch.object(user_key, "is_own", lambda *_, own=is_own: own):
            found = ms.load(str(path))(Tensor([1.0]))[1]
        assert found._value.aval.dtype == table.dtype
        np.testing.assert_array_equal(np.asarray(found._value.read()), table)


CASES = {
    "no rule": (lambda x: ops.svd(x), (3, 3), "no rule for 'svd'"),
    "large": (lambda x: x + 1, (2000, 2000), "inputs take 16 MB"),
    "larger results": (lambda x: x.broadcast_to((900, 900)), (1, 900), "results take 3.24 MB"),
    "much": (lambda x: (x @ x).sum(), (40, 40), "would have to do"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_where_there_are_none(name, tmp_path, monkeypatch, capsys):
    function, shape, words = CASES[name]
    if name == "much":
        monkeypatch.setattr(graph_vectors, "MOST_WORK", 1000)
    path = export(tmp_path, function, Tensor(shape=shape, dtype=ms.float32))
    assert main(["verify", str(path)]) == 2
    text = capsys.readouterr().err
    assert text.startswith(f"sporax: For 'verify', '{path}' cannot be run: it has no test vectors")
    assert words in text and text.count("\n") == 1


def test_sizes_that_fit_late():
    def function(x, least):
        if x.shape[1] < least:
            raise ValueError("too short")
        return x * 2

    x = Tensor(shape=[None, None], dtype=ms.float32)
    found, _ = graph_vectors.vectors("f", function, (x, 30))
    assert [vector.inputs[0].shape for vector in found] == [(2, 32), (1, 224)]
    none, why = graph_vectors.vectors("f", function, (x, 1000))
    assert none == [] and why == "for inputs of the sizes (1, 224): ValueError: too short"


@pytest.mark.parametrize("place", ["vector0/expected/0", "vector1/expected/1", "parameter/x.w"])
def test_what_differs_is_said(place, tmp_path, capsys):
    rows = Tensor(shape=[None, 3], dtype=ms.float32)
    path = export(tmp_path, Net(), rows, 2.0)
    place = place.replace("x.w", "dense.weight")
    write_again(path, lambda _, arrays: arrays[place].fill(7), program_file.GRAPH)
    assert main(["verify", str(path)]) == 1
    assert "elements differ, the worst at" in capsys.readouterr().out


# damage -----------------------------------------------------------------------------------------


def header(change):
    return lambda head, _: change(head)


STRANGE = {
    "a callback": (with_text(lambda t: t.replace("%0 = ", '%z = stablehlo.custom_call '
        '@xla_python_cpu_callback() {api_version = 2 : i32, backend_config = "1"} : () -> '
        "tensor<f32>\n%0 = ", 1)), "harmless"),
    "weights that lack": (lambda _, arrays: arrays.pop("parameter/dense.bias"), "KeyError"),
    "weights of another shape": (lambda _, arrays: arrays.update(
        {"parameter/dense.bias": np.zeros(9, np.float32)}), "must have a function"),
    "an array of no kind": (header(lambda h: h["arrays"].append(["program", "text"])),
                            "is of no known kind"),
    "Tensors that lack": (header(lambda h: h.update(result={"value": 3})), "it has 0 Tensors"),
    "vectors that lack": (header(lambda h: h["vectors"].append([1e-7, 3, [[0, 0]]])),
                          "its tolerance is none"),
    "another device": (header(lambda h: h["program"].update(platforms=["tpu"])),
                       "its program is for tpu, and this is cpu"),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_strange_graphs(name, tmp_path):
    path = tmp_path / "f.mindir"
    path.write_bytes(FILES[0].read_bytes())
    change, words = STRANGE[name]
    write_again(path, change, program_file.GRAPH)
    with (
        mock.patch.object(user_key, "is_own", lambda *_: False),
        pytest.raises(ValueError, match=f"For 'load', .*is no whole graph of sporax: .*{words}"),
    ):
        ms.load(str(path))  # fmt: skip


def test_damaged_files_of_version_2(tmp_path):
    path, whole = tmp_path / "f.mindir", FILES[-1].read_bytes()
    middle = len(whole) // 2
    rows = [
        (whole[:middle], "its checksum does not fit"),
        (whole[:middle] + b"?" + whole[middle + 1 :], "its checksum does not fit"),
        (whole.replace(b"version 2\n", b"version 1\n"), "its version is 1, which this sporax"),
    ]
    for content, words in rows:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=f"no whole graph of sporax: {words}"):
            ms.load(str(path))
    assert main(["verify", str(FILES[-1])]) == 2


def test_programs_are_of_the_oldest_version(tmp_path):
    path = export(tmp_path, ops.tanh, Tensor([1.0]))
    assert program_file.read(path, program_file.GRAPH).header["program"]["stablehlo"] == "1.17.0"
    arrays = program_file.read(path, program_file.GRAPH).arrays
    artifact, text = (arrays[name].tobytes() for name in (ARTIFACT, TEXT))
    assert b"StableHLO_v1.17.0" in artifact
    assert __file__.encode() not in path.read_bytes() and b"portable_program" not in artifact
    _, version = jax_internals.portable_artifact(text.decode(), "99.0.0")
    assert version == jax_internals.stablehlo_version()
