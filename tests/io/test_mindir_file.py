"""MindSpore's `.mindir` files: outputs as in MindSpore, or one sentence."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn
from sporax.io import mindir_file, untrusted_file
from sporax.io.protobuf import block, varint

FILES = Path(__file__).parents[1] / "recorded" / "mindir"


@pytest.mark.parametrize("name", ["images", "sequences"])
def test_outputs_are_those_of_mindspore(name):
    net = nn.GraphCell(ms.load(str(FILES / f"{name}.mindir")))
    with np.load(FILES / f"{name}.npz") as recorded:
        outputs = net(Tensor(recorded["x"]))
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        assert len(outputs) == len(recorded.files) - 1
        for i, output in enumerate(outputs):
            expected = recorded[f"y{i}"]
            scale = np.abs(expected).max()
            np.testing.assert_allclose(output.asnumpy(), expected, rtol=0, atol=1e-5 * scale)


def test_parameters_have_mindspores_names():
    net = nn.GraphCell(ms.load(str(FILES / "images.mindir")))
    names = {p.name for p in net.get_parameters()}
    assert {"conv.weight", "norm.moving_mean", "dense.bias"} <= names


def test_a_served_file_is_one_of_ours(tmp_path):
    graph = ms.load(str(FILES / "images.mindir"))
    assert [spec.shape for spec in graph.inputs] == [(2, 3, 8, 8)]
    assert "Parameter" not in str(graph) and "parameter conv.weight: Float32" in str(graph)


@pytest.mark.parametrize("name", ["branching", "looping"])
def test_control_flow(name):
    net = nn.GraphCell(ms.load(str(FILES / f"{name}.mindir")))
    with np.load(FILES / f"{name}.npz") as recorded:
        ends = [key[1:] for key in recorded.files if key.startswith("x")]
        assert len(ends) > 1
        for end in ends:
            outputs = net(Tensor(recorded[f"x{end}"]))
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            for i, output in enumerate(outputs):
                np.testing.assert_allclose(output.asnumpy(), recorded[f"y{i}{end}"], rtol=1e-5)


def test_parameters_in_other_files(tmp_path):
    shutil.copytree(FILES, tmp_path / "copy")
    file = tmp_path / "copy" / "parts_graph.mindir"
    net = nn.GraphCell(ms.load(str(file)))
    with np.load(FILES / "parts.npz") as recorded:
        output = net(Tensor(recorded["x"])).asnumpy()
        np.testing.assert_allclose(output, recorded["y0"], rtol=1e-5)
    content = file.read_bytes()
    file.write_bytes(content.replace(b"parts_variables/", b"./../../../etc//"))
    with pytest.raises(ValueError, match="in one below its folder"):
        ms.load(str(file))
    file.write_bytes(content)
    (data,) = (tmp_path / "copy" / "parts_variables").iterdir()
    data.write_bytes(data.read_bytes()[:80])
    with pytest.raises(ValueError, match="the bytes of its shape"):
        ms.load(str(file))
    data.unlink()
    with pytest.raises(OSError, match="data_0"):
        ms.load(str(file))


def changed(old, new):
    content = untrusted_file.content(FILES / "images.mindir")
    assert content.count(old) and len(old) == len(new)
    return content.replace(old, new)


def tensor(**fields):
    numbers = {"dims": 1, "data_type": 2}
    content = b"".join(
        bytes([numbers[name] << 3]) + varint(value & (1 << 64) - 1)
        for name, values in fields.items() for value in np.atleast_1d(values).tolist()
    )  # fmt: skip
    return mindir_file._decoded("Tensor", content + block(9, bytes(8)) + block(7, b"w"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (changed(b"HSwish", b"HSwash"), "'HSwash' is no primitive of sporax"),
        (changed(b"HSwish", b"Tensor"), "'Tensor' is no primitive"),
        (changed(b"NCHW", b"NHWX"), "data_format"),
        (block(1, b"1.1"), "graph"),
        (block(1, b"1.1") + block(7, b"\xff"), "ends"),
        (b"\x0a", "ends"),
    ],
)
def test_other_files_get_one_sentence(content, reason, tmp_path):
    path = tmp_path / "net.mindir"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=reason):
        ms.load(str(path))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"dims": [2], "data_type": 99}, "unknown dtype 99"),
        ({"dims": [3], "data_type": 1}, "bytes of its shape"),
        ({"dims": [-2, -1], "data_type": 1}, "bytes of its shape"),
        ({"dims": [2**40, 2**40], "data_type": 1}, "bytes of its shape"),
    ],
)
def test_arrays_must_be_in_the_file(fields, reason):
    with pytest.raises(Exception, match=reason) as raised:
        mindir_file._array(tensor(**fields))
    assert type(raised.value).__name__ == "CorruptFile"


def test_mutated_files_are_rejected(tmp_path):
    content = untrusted_file.content(FILES / "images.mindir")
    random, path = np.random.default_rng(0), tmp_path / "net.mindir"
    for k in range(40):
        mutated = bytearray(content[: len(content) // (1 + k % 2)])
        for _ in range(3):
            mutated[random.integers(min(3000, len(mutated)))] = random.integers(256)
        mutated[0] = 0x0A
        path.write_bytes(mutated)
        try:
            ms.load(str(path))
        except ValueError as error:
            assert str(error).startswith("For 'load'")
