"""Encrypted MindRecord files, in MindSpore's format (`tools.record pipelines`), and TFRecord
files converted to MindRecord files."""

from types import SimpleNamespace

import numpy as np
import pytest

from sporax import data
from sporax._src.core import dtype as dtypes
from sporax.data import mindrecord
from sporax.io import encryption
from sporax.io.corrupt_file import CorruptFile
from tests import records
from tests.data import tfrecord_cases

ENCRYPTED = records.read("pipelines")["encrypted"]
KEYS = "0123456789012345", "0123456789012345abcdefgh", "0123456789012345" * 2
ROWS = [{"a": i, "b": bytes([i + 1]) * 10} for i in range(3)]


@pytest.fixture(autouse=True)
def settings():
    yield
    mindrecord.set_enc_key(None)
    mindrecord.set_enc_mode()
    mindrecord.set_dec_mode(None)


def write(path, rows=ROWS, writer=None):
    if writer is None:
        writer = mindrecord.FileWriter(str(path))
        writer.set_header_size(16 * 1024)
        writer.set_page_size(32 * 1024)
        writer.add_schema({"a": {"type": "int32"}, "b": {"type": "bytes"}})
    writer.write_raw_data(rows)
    writer.commit()


def read(path):
    return list(mindrecord.FileReader(str(path)).get_next())


@pytest.mark.parametrize("key", KEYS)
def test_pieces_of_mindspore_are_decrypted(key):
    piece = bytes.fromhex(ENCRYPTED["pieces"][key])
    assert encryption.decrypt(piece, key.encode()) == bytes(range(40))
    ours = encryption.encrypt(bytes(range(40)), key.encode())
    assert len(ours) == len(piece) and ours[20:28] == piece[20:28] and ours[44:48] == piece[44:48]


@pytest.mark.parametrize("key", KEYS)
def test_files_are_encrypted_as_mindspore_does(key, tmp_path):
    mindrecord.set_enc_key(key)
    write(tmp_path / "rows")
    for name, (size, head, end) in ENCRYPTED["files"].items():
        content = (tmp_path / f"rows{name}").read_bytes()
        assert [len(content), content[:8].hex(), content[-18:].hex()] == [size, head, end]
    assert read(tmp_path / "rows") == ROWS
    rows = data.MindDataset(str(tmp_path / "rows"), shuffle=False).create_dict_iterator(1, True)
    assert [int(row["a"]) for row in rows] == [0, 1, 2]
    write(
        None, [{"a": 9, "b": b"x"}], mindrecord.FileWriter.open_for_append(str(tmp_path / "rows"))
    )
    assert read(tmp_path / "rows") == [*ROWS, {"a": 9, "b": b"x"}]
    pages = mindrecord.MindPage(str(tmp_path / "rows"))
    pages.category_field = "a"
    assert pages.read_at_page_by_name("9", 0, 1) == [{"a": 9, "b": b"x"}]


def test_functions_of_ones_own(tmp_path):
    sizes = []

    def flipped(file, size, out, key):
        sizes.append(size)
        end = 0 if len(sizes) < 3 else 11
        out.write(bytes(x ^ ord(key[0]) for x in file.read(size - end)))

    mindrecord.set_enc_key(KEYS[0])
    mindrecord.set_enc_mode(flipped)
    write(tmp_path / "rows")
    assert (tmp_path / "rows").read_bytes().endswith(b"\0\0\0\0UDF-ENCENCRYPT")
    with pytest.raises(RuntimeError, match="needs a function to be decrypted"):
        read(tmp_path / "rows")
    mindrecord.set_dec_mode(flipped)
    assert read(tmp_path / "rows") == ROWS
    assert [b - a for a, b in zip(sizes, sizes[2:], strict=False)] == [11, 11]
    mindrecord.set_dec_mode()
    with pytest.raises(RuntimeError, match="was encrypted as UDF-ENC"):
        read(tmp_path / "rows")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (None, "is encrypted; give its key to 'mindrecord.set_enc_key'"),
        (KEYS[0][::-1], "encrypted with another key, or is damaged"),
    ],
)
def test_keys_that_do_not_open(key, said, tmp_path):
    mindrecord.set_enc_key(KEYS[0])
    write(tmp_path / "rows")
    mindrecord.set_enc_key(key)
    with pytest.raises(RuntimeError, match=f"the file '.*rows' .*{said}"):
        read(tmp_path / "rows")


def test_damaged_pieces_and_plain_files(tmp_path):
    piece = encryption.encrypt(b"abc", KEYS[0].encode())
    for wrong in (piece[:-1], piece[:20], b"x" + piece[1:], piece[:-1] + b"x"):
        with pytest.raises(CorruptFile):
            encryption.decrypt(wrong, KEYS[0].encode())
    write(tmp_path / "rows")
    mindrecord.set_enc_key(KEYS[0])
    with pytest.raises(RuntimeError, match="is not encrypted, but there is a key"):
        read(tmp_path / "rows")


def failing(file, size, out, key):
    raise OSError("no such cipher")


def test_a_file_that_cannot_be_encrypted_leaves_no_other(tmp_path):
    mindrecord.set_enc_key(KEYS[0])
    mindrecord.set_enc_mode(failing)
    with pytest.raises(OSError, match="no such cipher"):
        write(tmp_path / "rows")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("setter", "value"),
    [
        *[("set_enc_key", value) for value in (3, "abc", b"0" * 16)],
        *[("set_enc_mode", value) for value in (3, "AES-CBC", None)],
        *[("set_dec_mode", value) for value in (3, "AES-CBC")],
    ],
)
def test_settings_that_are_refused(setter, value):
    with pytest.raises(ValueError, match=f"For '{setter}'"):
        getattr(mindrecord, setter)(value)
    mindrecord.set_enc_key("é" * 8)  # 16 bytes


# TFRecord files ---------------------------------------------------------------------------------

FEATURES = {
    "z": ([2], "int64"), "label": ([], dtypes.int64), "name": ([], "string"),
    "x": ([4], np.dtype("float32")), "an img": ([], "string", ""), "rest": ([2], "int64", 7),
}  # fmt: skip


def test_tfrecords_are_converted(tmp_path):
    tfrecord_cases.write(tmp_path)
    # as those of TensorFlow, which has names of dtypes too
    features = FEATURES | {"img": SimpleNamespace(shape=[], dtype=SimpleNamespace(name="string"))}
    features["img"] = tuple(vars(features["img"]).values())
    source, rows = str(tmp_path / "a.tfrecord"), str(tmp_path / "rows")
    assert mindrecord.TFRecordToMR(source, rows, features, ["img"]).run() == mindrecord.SUCCESS
    for row, expected in zip(read(rows), tfrecord_cases.ROWS, strict=True):
        assert row.pop("x").tolist() == expected["x"] and row.pop("z").tolist() == expected["z"]
        assert row.pop("rest").tolist() == [7, 7]
        assert row == {
            "label": expected["label"][0], "name": expected["name"][0].decode(),
            "img": expected["img"][0], "an_img": "",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("features", "images", "error", "said"),
    [
        ({}, None, ValueError, "'feature_dict' must be a dict"),
        ({"x": 3}, None, ValueError, r"'feature_dict\['x'\]' must be a tf.io.FixedLenFeature"),
        ({"x": ([2, 2], "float32")}, None, ValueError, "must be a tf.io.FixedLenFeature"),
        ({"x": ([0], "float32")}, None, ValueError, "must be a tf.io.FixedLenFeature"),
        ({"x": ([], "int32")}, None, ValueError, "a dtype among string, int64, float32"),
        ({"name": ([2], "string")}, None, ValueError, r"\[\] for strings"),
        ({"z": ([2], "int64")}, ["z"], ValueError, "'bytes_fields' must be a list of the features"),
        ({"a b": ([], "int64"), "a-b": ([], "int64")}, None, ValueError, "'a_b' stands for two"),
        ({"q": ([], "int64")}, None, RuntimeError, "a record 0 that does not fit: 'q' is to be 1"),
        ({"z": ([3], "int64")}, None, RuntimeError, "'z' is to be 3 of int64, but it has 2 of int"),
        ({"x": ([4], "int64")}, None, RuntimeError, "is to be 4 of int64, but it has 4 of float32"),
        ({"img": ([], "string")}, None, RuntimeError, "a record 0 that does not fit: 'utf-8'"),
    ],
)
def test_tfrecords_that_do_not_fit(features, images, error, said, tmp_path):
    tfrecord_cases.write(tmp_path)
    with pytest.raises(error, match=said):
        mindrecord.TFRecordToMR(
            str(tmp_path / "a.tfrecord"), str(tmp_path / "rows"), features, images
        ).transform()
    assert not (tmp_path / "rows").exists()
