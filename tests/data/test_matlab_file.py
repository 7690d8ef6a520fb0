"""MATLAB's files: what SciPy writes is read, and what is damaged is refused."""

import io
import random

import numpy as np
import pytest
from scipy import io as scipy_io
from scipy import sparse

from sporax.data.matlab_file import arrays

CELL = np.empty((2, 3), object)
for _i in range(6):
    CELL.ravel()[_i] = np.arange(_i + 1.0)
PLAIN = {
    "bytes": np.arange(24, dtype=np.uint8).reshape(2, 3, 4), "reals": np.arange(6.0).reshape(3, 2),
    "complex": np.array([[1 + 2j, 3]]), "long": np.array([[2**40]]), "small": np.int8([[1, -2]]),
    "single": np.float32([[1.5]]), "flags": np.array([[True, False]]), "none": np.zeros((0, 3)),
}  # fmt: skip
WHOLE = PLAIN | {
    "sparse": sparse.csc_matrix(np.diag([1.0, 0, 3])[:, :2]), "cell": CELL, "text": "some wörds",
    "struct": {"x": np.arange(3.0), "inner": {"word": "w"}, "cell": CELL},
}  # fmt: skip


def written(values, compressed):
    file = io.BytesIO()
    scipy_io.savemat(file, values, do_compression=compressed)
    return file.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_what_scipy_writes_is_read(compressed):
    result = arrays(written(WHOLE, compressed))
    assert list(result) == list(WHOLE)
    for name, value in PLAIN.items():
        assert result[name].dtype == (np.uint8 if name == "flags" else value.dtype)
        assert np.array_equal(result[name], value)
    assert result["sparse"].tolist() == [[1, 0], [0, 0], [0, 0]]
    assert result["text"].tolist() == [["some wörds"]]
    (entry,) = result["struct"].ravel()
    assert entry["x"].tolist() == [[0, 1, 2]]
    assert entry["inner"][0, 0]["word"].tolist() == [["w"]]
    for cell in (result["cell"], entry["cell"]):
        assert cell.shape == (2, 3)
        assert all(np.array_equal(a.ravel(), b) for a, b in
                   zip(cell.ravel(), CELL.ravel(), strict=True))  # fmt: skip


def test_big_endian_files():
    """By the format: a double 1.5 called 'x'."""
    head = bytes(124) + b"\1\0MI"
    parts = [(6, np.array([6, 0], ">u4")), (5, np.array([1, 1], ">i4")),
             (1, np.frombuffer(b"x", "u1")), (9, np.array([1.5], ">f8"))]  # fmt: skip
    data = b"".join(
        np.array([kind, part.nbytes], ">u4").tobytes() + part.tobytes() + bytes(-part.nbytes % 8)
        for kind, part in parts
    )
    file = head + np.array([14, len(data)], ">u4").tobytes() + data
    assert arrays(file)["x"].tolist() == [[1.5]]


def refused(content):
    """Whether the bytes are refused, by a ValueError and nothing else."""
    try:
        arrays(content)
    except ValueError:
        return True
    return False


@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_files_are_refused(compressed):
    content, draw = (
        written({"struct": WHOLE["struct"], "x": WHOLE["sparse"]}, compressed),
        (random.Random(1)),
    )
    assert all(refused(content[:size]) for size in range(0, len(content) // 2, 5))
    count = 0
    for _ in range(500):
        damaged = bytearray(content)
        for _ in range(draw.choice([1, 4, 20])):
            damaged[draw.randrange(128, len(content))] = draw.randrange(256)
        count += refused(bytes(damaged))
    assert count > 150


def test_objects_of_matlab_are_refused():
    content = bytearray(written({"x": np.zeros((1, 1))}, False))
    for kind in (3, 16, 17):  # objects, functions, and what holds them
        content[128 + 16] = kind
        with pytest.raises(ValueError, match=f"is of class {kind}, which holds no numbers"):
            arrays(bytes(content))
