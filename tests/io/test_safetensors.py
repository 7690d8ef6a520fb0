"""Safetensors files, against MindSpore's (tools.record checkpoints) and the library's own
reader; conversion to and from `.ckpt`."""

import io
import json
import struct
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import sporax as ms
from sporax import nn
from sporax.io import safetensors_file
from tests import records
from tools.record.checkpoints import CONTENTS, NOT_SUMMED, NUMBERS, counting, everything, summed

RECORDED = records.FOLDER
PLAIN, SUMMED = RECORDED / "mindspore.safetensors", RECORDED / "mindspore_sum.safetensors"
SAFE = {"format": "safetensors"}


def header_and_body(path):
    content = Path(path).read_bytes()
    size = 8 + struct.unpack("<Q", content[:8])[0]
    return json.loads(content[8:size]), content[size:]


def assert_contents(result, without=()):
    assert list(result) == sorted({*CONTENTS, *NUMBERS} - set(without))
    for name, (dtype, shape, begin) in CONTENTS.items():
        if name in without:
            continue
        x = result[name]
        assert isinstance(x, ms.Parameter) and x.name == name
        assert (x.shape, x.dtype) == (shape, getattr(ms, "bool_" if dtype == "bool" else dtype))
        numbers = counting(dtype, shape, begin).astype("f8")
        np.testing.assert_array_equal(x.asnumpy().astype("f8"), numbers)
    assert {name: result[name].item() for name in NUMBERS} == NUMBERS


# MindSpore's files ---------------------------------------------------------------------------


def test_reads_what_mindspore_writes():
    assert_contents(ms.load_checkpoint(str(PLAIN), **SAFE))
    for check in (False, True):
        result = ms.load_checkpoint(str(SUMMED), crc_check=check, **SAFE)
        assert_contents(result, without=NOT_SUMMED)


def test_reads_bytes():
    assert_contents(ms.load_checkpoint(io.BytesIO(PLAIN.read_bytes()), **SAFE))
    with pytest.raises(ValueError, match="the given BytesIO"):
        ms.load_checkpoint(io.BytesIO(PLAIN.read_bytes()[:-1]), **SAFE)
    with pytest.raises(TypeError, match="must be a string for format='ckpt'"):
        ms.load_checkpoint(io.BytesIO(b""))


@pytest.mark.parametrize(
    ("theirs", "made", "options"),
    [(PLAIN, everything, {"remove_redundancy": False}), (SUMMED, summed, {"crc_check": True})],
)
def test_writes_the_bytes_that_mindspore_writes(theirs, made, options, tmp_path):
    actual = tmp_path / "a.safetensors"
    ms.save_checkpoint(made(ms), str(actual), append_dict=NUMBERS, **SAFE, **options)
    # the order of the metadata changes from run to run in the library itself
    assert header_and_body(actual) == header_and_body(theirs)


@pytest.mark.parametrize("count", [0, 1, 3, 3 << 20, -1, 1 << 40])
def test_the_checksum_of_an_integer_holds(count, tmp_path):
    # MindSpore sums as many zeros as a 0-dimensional integer says; a negative one it cannot save
    path = str(tmp_path / "a.safetensors")
    ms.save_checkpoint([], path, append_dict={"count": count}, crc_check=True, **SAFE)
    assert ms.load_checkpoint(path, crc_check=True, **SAFE)["count"].item() == count


# there and back ------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"crc_check": True}, {"async_save": True}], ids=str)
def test_there_and_back(options, tmp_path):
    path = tmp_path / "all.safetensors"
    ms.save_checkpoint(everything(ms), str(path), append_dict=NUMBERS, **SAFE, **options)
    check = options.get("crc_check", False)
    assert_contents(ms.load_checkpoint(str(path), crc_check=check, **SAFE))
    assert [p.name for p in tmp_path.iterdir()] == ["all.safetensors"]
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert path.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1,), ()], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64", "bool"])
def test_shapes_and_dtypes_there_and_back(shape, dtype, tmp_path):
    path = str(tmp_path / "odd.safetensors")
    x = np.ones(shape, getattr(ml_dtypes, dtype, dtype))
    ms.save_checkpoint({"x": x}, path, crc_check=True, **SAFE)
    result = ms.load_checkpoint(path, crc_check=True, **SAFE)["x"].asnumpy()
    assert (result.shape, result.dtype) == (x.shape, x.dtype)
    np.testing.assert_array_equal(result, x)


def test_a_transposed_array_is_written_in_its_order(tmp_path):
    path = str(tmp_path / "a.safetensors")
    x = np.arange(6.0).reshape(2, 3).T
    ms.save_checkpoint({"x": x}, path, **SAFE)
    np.testing.assert_array_equal(safetensors.numpy.load_file(path)["x"], x)


def test_reads_a_file_of_another_framework(tmp_path):
    path = str(tmp_path / "weights.safetensors")
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    safetensors.numpy.save_file({"net.weight": weight}, path, metadata={"format": "pt"})
    net = nn.Dense(3, 2)
    ms.load_checkpoint(path, net, **SAFE)
    np.testing.assert_array_equal(net.weight.asnumpy(), weight)


def test_chooses_by_name():
    # MindSpore heeds only 'choice_func' for this format
    result = ms.load_checkpoint(str(PLAIN), specify_prefix="net.i", filter_prefix="net.i1", **SAFE)
    assert list(result) == ["net.i32", "net.i64", "net.i8"]
    result = ms.load_checkpoint(str(PLAIN), choice_func=lambda name: "u8" in name, **SAFE)
    assert list(result) == ["net.u8"]


# bad files and arguments ---------------------------------------------------------------------


def test_every_cut_of_a_file_is_refused_and_the_net_left_alone(tmp_path):
    whole, path = SUMMED.read_bytes(), tmp_path / "cut.safetensors"
    net = nn.Cell()
    net.weight = ms.Parameter(np.zeros((2, 3), np.float32), name="net.weight")
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match=f"'{path}' is no whole safetensors file"):
            ms.load_checkpoint(str(path), net, **SAFE)
    assert not net.weight.asnumpy().any()


@pytest.mark.parametrize("content", [b"", b"text" * 9, b"\xff" * 100, bytes(100)], ids=len)
def test_what_is_no_file_of_the_format_is_refused(content, tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is no whole safetensors file"):
        ms.load_checkpoint(str(path), **SAFE)


def test_a_wrong_checksum_is_refused(tmp_path):
    path = tmp_path / "sum.safetensors"
    content = SUMMED.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match="checksum does not fit"):
        ms.load_checkpoint(str(path), crc_check=True, **SAFE)
    with pytest.raises(ValueError, match=r"has no checksum.*crc_check=False"):
        ms.load_checkpoint(str(PLAIN), crc_check=True, **SAFE)


@pytest.mark.parametrize(
    ("metadata", "dtype", "kind"),
    [({"x": "Int4"}, np.int8, "Int4"), (None, ml_dtypes.float8_e8m0fnu, "F8_E8M0")],
)
def test_an_unknown_dtype_is_named(metadata, dtype, kind, tmp_path):
    path = str(tmp_path / "a.safetensors")
    safetensors.numpy.save_file({"x": np.ones(2, dtype)}, path, metadata)
    with pytest.raises(ValueError, match=f"at 'x': it has the type '{kind}'"):
        ms.load_checkpoint(path, **SAFE)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda f: ms.save_checkpoint({"a": "b"}, f, **SAFE), TypeError, "'a' is a string"),
        (lambda f: ms.save_checkpoint({"a": np.ones(1, complex)}, f, **SAFE), TypeError,
         "'a' is Complex128"),
        (lambda f: ms.save_checkpoint({}, f, enc_key=b"k", **SAFE), ValueError, "never encrypted"),
        (lambda f: ms.load_checkpoint(str(PLAIN)), ValueError, "Pass format='safetensors'"),
        (lambda f: ms.load_checkpoint(str(PLAIN), dec_key=b"k", **SAFE), ValueError, "never"),
        (lambda f: ms.load_checkpoint(str(PLAIN), dec_mode="X", **SAFE), ValueError, "'dec_mode'"),
    ],
)  # fmt: skip
def test_refusals(call, error, says, tmp_path):
    with pytest.raises(error, match=says):
        call(str(tmp_path / "a.safetensors"))
    assert not list(tmp_path.iterdir())


def test_a_part_of_a_checkpoint_is_not_put_into_a_net(tmp_path):
    path = str(tmp_path / "a.safetensors")
    for said in ("True", "False"):
        notes = {"remove_redundancy": said}
        safetensors.numpy.save_file({"weight": np.ones((2, 3), np.float32)}, path, notes)
        assert list(ms.load_checkpoint(path, remove_redundancy=True, **SAFE)) == ["weight"]
        net = nn.Dense(3, 2)
        if said == "True":
            with pytest.raises(TypeError, match="'remove_redundancy' must be False"):
                ms.load_checkpoint(path, net, **SAFE)
        else:  # the file is whole, whatever the call expects, as in MindSpore
            ms.load_checkpoint(path, net, remove_redundancy=True, **SAFE)


def test_saves_at_the_same_time_leave_one_whole_file(tmp_path):
    path = str(tmp_path / "a.safetensors")
    nets = [{"x": np.full(50_000, i, np.float32)} for i in range(4)]
    threads = [threading.Thread(target=ms.save_checkpoint, args=(net, path), kwargs=SAFE)
               for net in nets for _ in range(5)]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ms.load_checkpoint(path, **SAFE)["x"].asnumpy().tolist())) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]


# conversion ----------------------------------------------------------------------------------


def test_converts_there_and_back(tmp_path):
    ms.save_checkpoint(everything(ms), str(tmp_path / "a.ckpt"), append_dict=NUMBERS)
    ms.ckpt_to_safetensors(str(tmp_path / "a.ckpt"))
    assert_contents(ms.load_checkpoint(str(tmp_path / "a.safetensors"), **SAFE))
    names = {"net.flag": "flag", "none": "x"}
    ms.safetensors_to_ckpt(str(tmp_path / "a.safetensors"), str(tmp_path / "to"), names)
    result = ms.load_checkpoint(str(tmp_path / "to" / "a.ckpt"))
    assert set(result) == {*CONTENTS, *NUMBERS, "flag"} - {"net.flag"}
    result["net.flag"] = result.pop("flag")
    result["net.flag"].name = "net.flag"
    assert_contents(dict(sorted(result.items())))


def test_converts_the_folders_of_ranks(tmp_path):
    for rank in range(2):
        (tmp_path / "in" / f"rank_{rank}").mkdir(parents=True)
        for name in ("net-1", "other"):
            path = tmp_path / "in" / f"rank_{rank}" / f"{name}.ckpt"
            ms.save_checkpoint({"x": np.full(2, rank)}, str(path))
    ms.ckpt_to_safetensors(
        str(tmp_path / "in"), str(tmp_path / "out"), file_name_regex="net", processes_num=2
    )
    built = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*.safetensors"))
    assert built == [f"out/rank_{rank}/net-1.safetensors" for rank in range(2)]
    assert ms.load_checkpoint(str(tmp_path / built[1]), **SAFE)["x"].asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda d: ms.ckpt_to_safetensors(f"{d}/none.ckpt"), ValueError, "a file or folder"),
        (lambda d: ms.ckpt_to_safetensors(d), ValueError, "has none. Convert its files one by one"),
        (lambda d: ms.safetensors_to_ckpt(f"{d}/a.ckpt"), ValueError, "end in '.safetensors'"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/a.ckpt", "x.y"), ValueError, "must be a folder"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/a.ckpt", name_map=3), ValueError, "'name_map'"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/a.ckpt", name_map={"a": "b"}), ValueError,
         "'b' would name two"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/a.ckpt", file_name_regex="z{3}"), ValueError,
         "is not in"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/a.ckpt", processes_num=0), ValueError,
         "at least 1"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/s.ckpt"), TypeError, "'word' is a string"),
        (lambda d: ms.ckpt_to_safetensors(f"{d}/bad.ckpt"), ValueError,
         "For 'ckpt_to_safetensors', '.*bad.ckpt' is no whole MindSpore checkpoint"),
    ],
)  # fmt: skip
def test_refuses_to_convert(call, error, says, tmp_path):
    ms.save_checkpoint({"a": np.ones(1), "b": np.ones(1)}, str(tmp_path / "a.ckpt"))
    ms.save_checkpoint({"word": "x"}, str(tmp_path / "s.ckpt"))
    (tmp_path / "bad.ckpt").write_bytes(b"bad")
    with pytest.raises(error, match=says):
        call(str(tmp_path))
    assert not list(tmp_path.rglob("*.safetensors"))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    def full(entries, path, metadata):
        Path(path).write_bytes(b"half")
        raise safetensors.SafetensorError("no space")

    path = tmp_path / "a.safetensors"
    ms.save_checkpoint({"old": np.ones(2)}, str(path), **SAFE)
    monkeypatch.setattr(safetensors_file, "save_file", full)
    with pytest.raises(OSError, match="could not be written: no space"):
        ms.save_checkpoint({"new": np.ones(2)}, str(path), **SAFE)
    assert list(ms.load_checkpoint(str(path), **SAFE)) == ["old"]
    assert [p.name for p in tmp_path.iterdir()] == ["a.safetensors"]
